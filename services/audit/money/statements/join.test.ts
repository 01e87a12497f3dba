import { expect, it } from 'vitest';
import { join } from './join.ts';
import { hashOf, keyOf, readRecords, writeRecord, type MoneyRecord } from './records.ts';

const days = { dayOf: () => 1, statementOf: () => 0 };
const returnedMoney = {
  key: keyOf('a', 'back-1'),
  money: 'return',
  direction: 'in',
  amount: 100n,
  position: 1,
} as const;

/** The findings after both were written to a file and read. */
const findingsOf = (lineOf: string | undefined, legOf: string | undefined) => {
  const operation = hashOf('operation');
  const written: MoneyRecord[] = [
    {
      ...returnedMoney,
      of: 'line',
      operation,
      ofLeg: hashOf(lineOf),
      statement: 0,
      import: 1,
      line: 1,
    },
    { ...returnedMoney, of: 'leg', operation, ofLeg: hashOf(legOf), account: 0, day: 1 },
  ];
  const records = [...readRecords(Buffer.concat(written.map(writeRecord)))];
  const lines = records.filter((each) => each.of === 'line');
  const legs = records.filter((each) => each.of === 'leg');
  return [...join(lines, legs, days).findings.keys()];
};

it('reports a return that names another leg than the operation (R22.13)', () => {
  expect(findingsOf('leg-1', 'leg-2')).toEqual([`0 operation_differs@${hashOf('operation')}`]);
  expect(findingsOf('leg-1', 'leg-1')).toEqual([]);
  expect(findingsOf(undefined, 'leg-1')).toEqual([]);
  expect(findingsOf('leg-1', undefined)).toEqual([]);
});

it('treats leg ids as unique only within an operation that lines name (R22.3)', () => {
  const leg = { ...returnedMoney, money: 'transfer', of: 'leg', account: 0, day: 1 } as const;
  const line = {
    ...returnedMoney,
    money: 'transfer',
    of: 'line',
    statement: 0,
    import: 1,
  } as const;
  const [first, second] = [hashOf('operation-1'), hashOf('operation-2')];
  const legs = [
    { ...leg, operation: first },
    { ...leg, operation: second },
  ];
  const both = join(
    [
      { ...line, operation: first, line: 1 },
      { ...line, operation: second, line: 2 },
    ],
    legs,
    days,
  );
  expect(both).toEqual({ confirmed: 2, findings: new Map() });

  // The line of the previous day belongs to the other operation.
  const previousDay = { dayOf: (statement: number) => statement, statementOf: () => 1 };
  const other = join([{ ...line, operation: second, line: 1 }], legs, previousDay);
  expect([...other.findings.keys()]).toEqual([`1 not_in_statement@${first}`]);
});

it('matches a line without an operation if one operation counts its money (R22.4)', () => {
  const leg = { ...returnedMoney, money: 'transfer', of: 'leg', account: 0, day: 1 } as const;
  const line = {
    ...returnedMoney,
    money: 'transfer',
    of: 'line',
    statement: 0,
    import: 1,
  } as const;
  const [first, second] = [hashOf('operation-1'), hashOf('operation-2')];
  const lines = [
    { ...line, line: 1 },
    { ...line, operation: second, line: 2 },
  ];
  const keys = (...operations: (typeof first)[]) => [
    ...join(
      lines,
      operations.map((operation) => ({ ...leg, operation })),
      days,
    ).findings.keys(),
  ];
  expect(keys(second)).toEqual(['0 duplicate_line 2']);
  expect(keys()).toEqual(['0 unknown_line', '0 duplicate_line 2']);
  expect(keys(first, second)).toEqual(['0 unknown_line', `0 not_in_statement@${first}`]);
});
