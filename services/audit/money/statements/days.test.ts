import { describe, expect, it } from 'vitest';
import { join } from './join.ts';

const account = 1;
/** A statement of each day, by the day's number. */
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

describe('money that the statement of another day has', () => {
  it.each([
    ['the day before', 9, []],
    ['its own day', 10, []],
    ['the day after', 11, []],
    ['two days later', 12, ['10 not_in_statement@7']],
  ])('%s', (_which, day, findings) => {
    const joined = join([line(day)], [leg(10)], days);
    expect(joined.confirmed).toBe(1);
    expect([...joined.findings.keys()]).toEqual(findings);
  });

  it('its own day, and again two days later', () => {
    const joined = join([line(10), line(12, 3)], [leg(10)], days);
    expect([...joined.findings.keys()]).toEqual(['12 duplicate_line 3']);
  });
});
