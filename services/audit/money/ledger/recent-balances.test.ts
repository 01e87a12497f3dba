import { expect, it } from 'vitest';
import { createRecentBalances } from './recent-balances.ts';

const startMs = Date.parse('2026-01-31T12:00:00.000Z');

it('has the balances of the last minute, and the one in force before it', () => {
  const { note, had } = createRecentBalances();
  expect(had('ledger-1', 0n, startMs)).toBe(true);
  note('ledger-1', 5n, startMs);
  note('ledger-1', 7n, startMs + 30_000);
  const known = (seconds: number) =>
    [0n, 5n, 7n].filter((balance) => had('ledger-1', balance, startMs + seconds * 1_000));
  expect(known(30)).toEqual([0n, 5n, 7n]);
  expect(known(61)).toEqual([5n, 7n]);
  expect(known(600)).toEqual([7n]);
  expect(had('ledger-2', 5n, startMs)).toBe(false);
});

it('forgets older balances of a busy ledger, and no recent ones', () => {
  const { note, had } = createRecentBalances();
  for (let second = 0; second < 5_000; second += 1)
    note('ledger-1', BigInt(second), startMs + second * 1_000);
  const nowMs = startMs + 4_999_000;
  expect([4_938n, 4_999n].every((balance) => had('ledger-1', balance, nowMs))).toBe(true);
  expect([0n, 4_937n].some((balance) => had('ledger-1', balance, nowMs))).toBe(false);
});

it('forgets older balances also of a ledger with few entries a minute', () => {
  const { note, had } = createRecentBalances();
  for (let minute = 0; minute < 990; minute += 1)
    note('ledger-1', BigInt(minute), startMs + minute * 60_000);
  expect(had('ledger-1', 960n, startMs + 960 * 60_000)).toBe(false);
});
