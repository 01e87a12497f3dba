import { expect, it } from 'vitest';
import { added, dailyLimit, isFull, nothingUsed, routeKey, utcDay } from './daily-limits.ts';
import { route } from './operation/testing/given.ts';

it.each([
  // limits, used, more, full
  [{}, { count: 1_000, amount: '9000.00' }, '1.00', false],
  [{ daily_count: 2 }, { count: 1, amount: '900.00' }, '1.00', false],
  [{ daily_count: 2 }, { count: 2, amount: '2.00' }, '1.00', true],
  [{ daily_amount: '100.00' }, { count: 9, amount: '60.00' }, '40.00', false],
  [{ daily_amount: '100.00' }, { count: 1, amount: '60.00' }, '40.01', true],
  [{ daily_amount: '100.00' }, nothingUsed, '100.01', true],
  [{ daily_count: 5, daily_amount: '100.00' }, { count: 5, amount: '5.00' }, '1.00', true],
] as const)(
  'checks limits %j after %j with %s more: full %j (R7.17)',
  (limits, used, more, full) => {
    expect(isFull(limits, used, more)).toBe(full);
  },
);

it('skips only routes with a limit while the usage is unknown (R7.17)', () => {
  const unknownUsage = dailyLimit(undefined, '1.00');
  expect(unknownUsage(route({ daily_count: 1 }))).toBe('limit_unknown');
  expect(unknownUsage(route())).toBeUndefined();
  const used = dailyLimit(() => ({ count: 1, amount: '1.00' }), '1.00');
  expect(used(route({ daily_count: 1 }))).toBe('route_full');
  expect(used(route({ daily_amount: '2.00' }))).toBeUndefined();
});

it('removes usage that was added', () => {
  const used = added(added(nothingUsed, '0.10'), '0.20');
  expect(used).toEqual({ count: 2, amount: '0.30' });
  expect(added(added(used, '0.10', -1), '0.20', -1)).toEqual(nothingUsed);
});

it('counts per destination, independent of priority and terms', () => {
  const key = routeKey(route());
  expect(routeKey(route({ priority: 7, commission: { percent: '9.00', fixed: '0.00' } }))).toBe(
    key,
  );
  expect(routeKey(route({ provider: 'other' }))).not.toBe(key);
  expect(routeKey(route({ account: 'second' }))).not.toBe(key);
  expect(routeKey(route({ type: 'payout' }))).not.toBe(key);
});

it('begins a day at midnight UTC', () => {
  expect(utcDay('2026-01-31T23:59:59.999Z')).toBe('2026-01-31');
  expect(utcDay('2026-02-01T00:00:00.000Z')).toBe('2026-02-01');
});
