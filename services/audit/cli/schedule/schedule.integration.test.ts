import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { useOwnEventStore } from '#projections/testing/stores.ts';
import { eventually, waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';
import { auditStream } from '#shared/domain/audit/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { runLimitMs } from './last-run.ts';
import { runChild } from './run-child.ts';
import { runScheduledAudits, type AuditSchedule } from './schedule.ts';

const folder = folderForFile();
/** A separate log: all audits share one stream. */
const own = useOwnEventStore();

const hourMs = 3_600_000;

it('gives an audit of a log that grows four times as long as the one before took (R18.13)', () => {
  expect(runLimitMs(undefined)).toBe(6 * hourMs);
  expect(runLimitMs({ tookMs: hourMs })).toBe(6 * hourMs);
  expect(runLimitMs({ tookMs: 6 * hourMs })).toBe(24 * hourMs);
  expect(runLimitMs({ tookMs: 1_000 * hourMs })).toBe(20 * 24 * hourMs);
});

/** Audits until something is reached. */
async function auditUntil(
  what: string,
  isReached: () => boolean | Promise<boolean>,
  options: Pick<AuditSchedule, 'run' | 'everyMs'> & { store?: EventStore },
): Promise<void> {
  const { store = own.store, ...more } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const ended = runScheduledAudits({ store, logger, signal, pollEveryMs: 20, ...more });
  await eventually(what, isReached);
  stop.abort();
  await ended;
}
const areRecorded = (count: number) => async () =>
  (await own.store.read(auditStream)).length >= count;

it('records a failed run, and does not start the next one early (R18.13)', async () => {
  let runs = 0;
  const run = async (limitMs: number) => {
    runs += 1;
    expect(limitMs).toBe(6 * hourMs);
    return { code: null, output: 'it was ended by SIGKILL' };
  };
  const daily = { run, everyMs: 86_400_000 };
  await auditUntil('an audit is recorded', areRecorded(1), daily);
  // The next process polls the records and does not start a run.
  let reads = 0;
  const read: EventStore['read'] = (...of) => {
    reads += 1;
    return own.store.read(...of);
  };
  const store = { ...own.store, read };
  await auditUntil('it has read five times', () => reads >= 5, {
    ...daily,
    store,
  });
  expect(runs).toBe(1);
  const [failed, ...more] = await own.store.read(auditStream);
  expect(more).toEqual([]);
  expect(failed).toMatchObject({
    type: 'AuditFailed',
    data: { reason: 'it was ended by SIGKILL' },
    metadata: { actor: 'service:audit' },
  });
});

it('audits in a child process, starting at the previous checkpoint (R18.13)', async () => {
  const checkpoints = join(folder, 'checkpoints');
  mkdirSync(checkpoints);
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATA_DIR: folder, EVENT_STORE_URL: own.log.url };
  const options = '--json --scheduled --log-only --pace 20000 --checkpoints';
  const args = [...options.split(' '), checkpoints];
  const { signal } = new AbortController();
  // With the lowest priority, the audit would starve on a busy machine.
  const run = () => runChild(args, { env, signal, timeoutMs: waitLimitMs, niceness: 0 });
  await auditUntil('three audits are recorded', areRecorded(3), { run, everyMs: 1_000 });
  const [, first, second] = await own.store.read(auditStream);
  expect(first).toMatchObject({ type: 'AuditRan', data: { outcome: 'holds' } });
  expect(first?.data).not.toHaveProperty('since');
  const continued = { outcome: 'holds', since: { holds: true } };
  expect(second).toMatchObject({ type: 'AuditRan', data: continued });
  expect(readdirSync(checkpoints).length).toBeGreaterThanOrEqual(2);
});
