import { expect, it } from 'vitest';
import { createDayLimits } from './day-limits.ts';

const noon = Date.parse('2026-01-31T12:00:00.000Z');
const attempt = (seconds: number, { provider = 'sandbox', shopId = 'shop-1' } = {}) => ({
  operation: {
    operationId: `at-${seconds}`,
    shopId,
    type: 'payment',
    method: 'WT_RUB_C2C',
    currency: 'RUB',
    amount: '100.00',
  },
  route: { provider },
  atMs: noon + seconds * 1_000,
});
const once = { daily_count: 1 };

it('tolerates attempts of the last minute, then enforces the daily limit (R18.15)', () => {
  const days = createDayLimits();
  expect(days.start(attempt(0), {})).toBeUndefined();
  expect(days.start(attempt(60), once)).toBeUndefined();
  expect(days.notes()).toEqual([
    '1 attempts exceeded the daily limit of their route because of attempts started within the minute before (one instance enforces a limit exactly, several may not): at-60',
  ]);
  expect(days.start(attempt(62), once)).toBe(
    '1 for 100.00 began on the day, a minute before or earlier, and the route takes 1 a day',
  );
  expect(days.start(attempt(62, { provider: 'other' }), once)).toBeUndefined();
  expect(days.start(attempt(62, { shopId: 'shop-2' }), once)).toBeUndefined();
});

it('includes the attempt itself in a limit by amount', () => {
  const days = createDayLimits();
  days.start(attempt(0), {});
  const startWithLimit = (amount: string) => days.start(attempt(90), { daily_amount: amount });
  expect(startWithLimit('200.00')).toBeUndefined();
  expect(startWithLimit('199.99')).toMatch(/the route takes 199.99 a day$/);
});

it('frees the limit of attempts that the provider did not accept (R18.15)', () => {
  const days = createDayLimits();
  days.start(attempt(0), {});
  days.free(attempt(0));
  expect(days.start(attempt(90), once)).toBeUndefined();
  expect(days.start(attempt(200), once)).toBeDefined();
  days.free(attempt(90));
  days.free(attempt(200));
  expect(days.start(attempt(300), once)).toBeUndefined();
});

it('resets the limit at midnight UTC', () => {
  const days = createDayLimits();
  days.start(attempt(12 * 3_600 - 120), {});
  expect(days.start(attempt(12 * 3_600), once)).toBeUndefined();
  days.free(attempt(-48 * 3_600));
  expect(days.notes()).toEqual([]);
});
