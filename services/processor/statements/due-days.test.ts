import { expect, it } from 'vitest';
import { dueDays, missingDays } from './due-days.ts';

const hourMs = 3_600_000;
const at = (time: string) => Date.parse(time);

it('a day is due an hour after its end, in UTC (R22.11)', () => {
  expect(dueDays(at('2026-02-01T00:59:59.999Z'), hourMs)[0]).toBe('2026-01-30');
  expect(dueDays(at('2026-02-01T01:00:00.000Z'), hourMs)).toEqual([
    '2026-01-31',
    '2026-01-30',
    '2026-01-29',
    '2026-01-28',
    '2026-01-27',
    '2026-01-26',
    '2026-01-25',
  ]);
});

it.each([
  ['the newest alone where there is none', [], [], ['e']],
  ['nothing where the newest is there', ['e'], [], []],
  ['all since the last outage', ['b'], [], ['e', 'd', 'c']],
  ['a gap between two', ['e', 'b'], [], ['d', 'c']],
  ['what is wanted in any case', ['e'], ['c'], ['c']],
])('fetches %s', (_what, there, wanted, missing) => {
  const is = {
    isImported: (day: string) => there.includes(day),
    isRetried: (day: string) => wanted.includes(day),
  };
  expect(missingDays(['e', 'd', 'c', 'b', 'a'], is)).toEqual(missing);
});
