import { expect, it } from 'vitest';
import { createDayLimits } from './day-limits.ts';

const noon = Date.parse('2026-01-31T12:00:00.000Z');
const attempt = (
  seconds: number,
  { provider = 'sandbox', shopId = 'shop-1' }: { provider?: string; shopId?: string } = {},
) => ({
  operation: {
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

it('an attempt goes past a daily limit by what began a minute before, and is noted by what is newer (R18.15)', () => {
  const days = createDayLimits();
  expect(days.start(attempt(0), {})).toBeUndefined();
  expect(days.start(attempt(60), once)).toBeUndefined();
  expect(days.tell()).toEqual([
    '1 attempts exceeded the daily limit of their route because of attempts started within the minute before: one instance enforces a limit exactly, several may not',
  ]);
  expect(days.start(attempt(62), once)).toBe(
    '1 for 100.00 began on the day, a minute before or earlier, and the route takes 1 a day',
  );
  expect(days.start(attempt(62, { provider: 'other' }), once)).toBeUndefined();
  expect(days.start(attempt(62, { shopId: 'shop-2' }), once)).toBeUndefined();
});

it('a limit by amount counts the attempt itself', () => {
  const days = createDayLimits();
  days.start(attempt(0), {});
  const by = (amount: string) => days.start(attempt(90), { daily_amount: amount });
  expect(by('200.00')).toBeUndefined();
  expect(by('199.99')).toMatch(/the route takes 199.99 a day$/);
});

it('what its provider did not take is free again, whenever that is known (R18.15)', () => {
  const days = createDayLimits();
  days.start(attempt(0), {});
  days.free(attempt(0));
  expect(days.start(attempt(90), once)).toBeUndefined();
  expect(days.start(attempt(200), once)).toBeDefined();
  days.free(attempt(90));
  days.free(attempt(200));
  expect(days.start(attempt(300), once)).toBeUndefined();
});

it('a day ends at midnight UTC', () => {
  const days = createDayLimits();
  days.start(attempt(12 * 3_600 - 120), {});
  expect(days.start(attempt(12 * 3_600), once)).toBeUndefined();
  days.free(attempt(-48 * 3_600));
  expect(days.tell()).toEqual([]);
});
