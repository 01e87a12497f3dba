import { describe, expect, it } from 'vitest';
import { join } from './join.ts';

const account = 1;
/** One statement per day, numbered by the day. */
const days = {
  dayOf: (statement: number) => statement,
  statementOf: (_account: number, day: number) => day,
};
const money = {
  key: 'leg',
  money: 'transfer',
  direction: 'in',
  operation: 7n,
  amount: 100n,
} as const;
const line = (day: number, number = 1) =>
  ({ ...money, of: 'line', statement: day, import: 1, line: number, position: 9 }) as const;
const leg = (day: number) => ({ ...money, of: 'leg', account, day, position: 1 }) as const;

describe('a leg of one day', () => {
  it.each([
    ['the day before', 9, []],
    ['its own day', 10, []],
    ['the day after', 11, []],
    ['two days later', 12, ['10 not_in_statement@7']],
  ])('is confirmed by a line of %s, with the expected findings', (_which, day, findings) => {
    const joined = join([line(day)], [leg(10)], days);
    expect(joined.confirmed).toBe(1);
    expect([...joined.findings.keys()]).toEqual(findings);
  });

  it('is reported if a second line lists it two days later', () => {
    const joined = join([line(10), line(12, 3)], [leg(10)], days);
    expect([...joined.findings.keys()]).toEqual(['12 duplicate_line 3']);
  });
});
