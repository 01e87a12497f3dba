import { expect, it } from 'vitest';
import { audit } from '../../audit.ts';
import { createFindings } from '../../report/findings/findings.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { createLog } from '../../testing/log.ts';
import { setUpShops } from '../../testing/shops.ts';
import type { ChainCheckpoint } from './checkpoint.ts';

const testLog = createLog();
setUpShops(testLog, ['shop-1', 'shop-2']);
const { events } = testLog;
const newest = events.at(-1) as RawEvent;
const timeOf = ({ createdTicks }: RawEvent) => Number(createdTicks.slice(0, -4));

const auditWith = async (more: { since?: ChainCheckpoint; atMs?: number }) => {
  const findings = createFindings();
  const auditedLog = {
    read: async function* (after: number) {
      yield events.filter(({ position }) => position > after);
    },
    head: async () => newest.position,
    stream: async () => [],
    at: async (position: number) => events.find((event) => event.position === position),
    close: async () => undefined,
  };
  const result = await audit({ log: auditedLog, findings, ...more });
  return { ...result, rules: Object.keys(findings.counts()) };
};
const checkpointAt = async (event: RawEvent): Promise<ChainCheckpoint> => {
  const { position, chain } = await auditWith({ atMs: timeOf(event) });
  const unsigned = { created_at: '', public_key: '', signature: '' };
  return { version: 1, position: String(position), ...chain, ...unsigned };
};

it('rejects a time before the checkpoint', async () => {
  const since = await checkpointAt(newest);
  const before = auditWith({ since, atMs: timeOf(newest) - 1 });
  await expect(before).rejects.toThrow('--at is before the checkpoint of --since');
  const then = await auditWith({ since, atMs: timeOf(newest) });
  expect(then).toMatchObject({ sinceHolds: true, rules: [] });
});

it('verifies the log against a checkpoint taken exactly at that time', async () => {
  const middle = events[4] as RawEvent;
  const since = await checkpointAt(middle);
  const same = await auditWith({ since, atMs: timeOf(middle) });
  expect(same).toMatchObject({ sinceHolds: true, rules: [] });
  const other = { ...since, hash: 'f'.repeat(64) };
  const rewritten = await auditWith({ since: other, atMs: timeOf(middle) });
  expect(rewritten).toMatchObject({ sinceHolds: false, rules: ['checkpoint.rewritten'] });
});
