import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { folderForFile } from '#infra/verify/harness/for-file.ts';
import { useOwnEventStore } from '#projections/testing/stores.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import { auditStream } from '#shared/domain/audit/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { runChild } from './run-child.ts';
import { runScheduledAudits, type Schedule } from './schedule.ts';

const folder = folderForFile();
/** A separate log: all audits share one stream. */
const own = useOwnEventStore();

/** Audits until `count` runs are recorded. */
async function auditUntil(count: number, more: Pick<Schedule, 'run' | 'everyMs'>): Promise<void> {
  const stop = new AbortController();
  const ended = runScheduledAudits({
    store: own.store,
    logger,
    signal: stop.signal,
    pollEveryMs: 20,
    ...more,
  });
  const recorded = async () => (await own.store.read(auditStream)).length >= count;
  await waitUntil(`${count} audits are recorded`, recorded, { timeoutMs: 40_000 });
  stop.abort();
  await ended;
}

it('records a failed run, and does not start the next one early (R18.13)', async () => {
  let runs = 0;
  const run = async () => {
    runs += 1;
    return { code: null, output: 'it was ended by SIGKILL' };
  };
  await auditUntil(1, { run, everyMs: 86_400_000 });
  // The next process polls the records and does not start a run.
  let reads = 0;
  const countingStore: EventStore = {
    ...own.store,
    read: (...of) => {
      reads += 1;
      return own.store.read(...of);
    },
  };
  const stop = new AbortController();
  const ended = runScheduledAudits({
    store: countingStore,
    logger,
    signal: stop.signal,
    pollEveryMs: 20,
    run,
    everyMs: 86_400_000,
  });
  await waitUntil('it has read five times', () => reads >= 5, { timeoutMs: 20_000 });
  stop.abort();
  await ended;
  expect(runs).toBe(1);
  const [failed, ...more] = await own.store.read(auditStream);
  expect(more).toEqual([]);
  expect(failed).toMatchObject({
    type: 'AuditFailed',
    data: { reason: 'it was ended by SIGKILL' },
  });
  expect(failed?.metadata.actor).toBe('service:audit');
});

it('audits in a child process, starting at the previous checkpoint (R18.13)', async () => {
  const checkpoints = join(folder, 'checkpoints');
  mkdirSync(checkpoints);
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    DATA_DIR: folder,
    EVENT_STORE_URL: own.log.url,
  };
  const args = [
    '--json',
    '--scheduled',
    '--log-only',
    '--pace',
    '20000',
    '--checkpoints',
    checkpoints,
  ];
  const { signal } = new AbortController();
  // With the lowest priority, the audit would starve on a busy machine.
  const run = () => runChild(args, { env, signal, timeoutMs: 60_000, niceness: 0 });
  await auditUntil(3, { run, everyMs: 1_000 });
  const [, first, second] = await own.store.read(auditStream);
  expect(first).toMatchObject({ type: 'AuditRan', data: { outcome: 'holds' } });
  expect(first?.data).not.toHaveProperty('since');
  expect(second).toMatchObject({
    type: 'AuditRan',
    data: { outcome: 'holds', since: { holds: true } },
  });
  expect(readdirSync(checkpoints).length).toBeGreaterThanOrEqual(2);
}, 60_000);
