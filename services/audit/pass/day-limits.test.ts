import { expect, it } from 'vitest';
import { createDayLimits } from './day-limits.ts';

const noon = Date.parse('2026-01-31T12:00:00.000Z');
const at = (seconds: number) => noon + seconds * 1_000;
const given = {
  shopId: 'shop-1',
  type: 'payment',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  provider: 'sandbox',
  amount: '100.00',
};
const limited = { ...given, limits: { daily_count: 1 } };

it('an attempt goes past a daily limit by what began a minute before, and is noted by what is newer', () => {
  const days = createDayLimits();
  expect(days.start({ ...given, atMs: at(0) })).toBeUndefined();
  expect(days.start({ ...limited, atMs: at(60) })).toBeUndefined();
  expect(days.tell()).toEqual([
    '1 attempts went past the daily limit of their route by what began in the minute before them: one instance keeps a limit exactly, several may not',
  ]);
  expect(days.start({ ...limited, atMs: at(62) })).toBe(
    '1 for 100.00 began on the day, a minute before or earlier, and the route takes 1 a day',
  );
  expect(days.start({ ...limited, provider: 'other', atMs: at(62) })).toBeUndefined();
  expect(days.start({ ...limited, shopId: 'shop-2', atMs: at(62) })).toBeUndefined();
});

it('a limit by amount counts the attempt itself', () => {
  const days = createDayLimits();
  days.start({ ...given, atMs: at(0) });
  const by = (amount: string) =>
    days.start({ ...given, limits: { daily_amount: amount }, atMs: at(90) });
  expect(by('200.00')).toBeUndefined();
  expect(by('199.99')).toMatch(/the route takes 199.99 a day$/);
});

it('what its provider did not take is free again, whenever that is known', () => {
  const days = createDayLimits();
  days.start({ ...given, atMs: at(0) });
  days.free({ ...given, atMs: at(0) });
  expect(days.start({ ...limited, atMs: at(90) })).toBeUndefined();
  expect(days.start({ ...limited, atMs: at(200) })).toBeDefined();
  days.free({ ...given, atMs: at(90) });
  days.free({ ...given, atMs: at(200) });
  expect(days.start({ ...limited, atMs: at(300) })).toBeUndefined();
});

it('a day ends at midnight UTC', () => {
  const days = createDayLimits();
  days.start({ ...given, atMs: at(12 * 3_600 - 120) });
  expect(days.start({ ...limited, atMs: at(12 * 3_600) })).toBeUndefined();
  days.free({ ...given, atMs: at(-48 * 3_600) });
  expect(days.tell()).toEqual([]);
});
