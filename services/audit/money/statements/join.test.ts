import { expect, it } from 'vitest';
import { join } from './join.ts';
import { hashOf, keyOf, readRecords, writeRecord, type MoneyRecord } from './records.ts';

const days = { dayOf: () => 1, statementOf: () => 0 };
const back = {
  key: keyOf('a', 'back-1'),
  money: 'return',
  direction: 'in',
  amount: 100n,
  position: 1,
} as const;

/** What is found once both were in a file. */
const found = (lineOf: string | undefined, legOf: string | undefined) => {
  const operation = hashOf('operation');
  const given: MoneyRecord[] = [
    { ...back, of: 'line', operation, ofLeg: hashOf(lineOf), statement: 0, import: 1, line: 1 },
    { ...back, of: 'leg', operation, ofLeg: hashOf(legOf), account: 0, day: 1 },
  ];
  const records = [...readRecords(Buffer.concat(given.map(writeRecord)))];
  const lines = records.filter((each) => each.of === 'line');
  const legs = records.filter((each) => each.of === 'leg');
  return [...join(lines, legs, days).findings.keys()];
};

it('a return that names another leg than the operation counts is another operation’s (R22.13)', () => {
  expect(found('leg-1', 'leg-2')).toEqual([`0 operation_differs@${hashOf('operation')}`]);
  expect(found('leg-1', 'leg-1')).toEqual([]);
  expect(found(undefined, 'leg-1')).toEqual([]);
  expect(found('leg-1', undefined)).toEqual([]);
});

it('a leg id is unique only within an operation, where the lines name one (R22.3)', () => {
  const leg = { ...back, money: 'transfer', of: 'leg', account: 0, day: 1 } as const;
  const line = { ...back, money: 'transfer', of: 'line', statement: 0, import: 1 } as const;
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

  // The line of the day before is of the other operation.
  const eve = { dayOf: (statement: number) => statement, statementOf: () => 1 };
  const other = join([{ ...line, operation: second, line: 1 }], legs, eve);
  expect([...other.findings.keys()]).toEqual([`1 not_in_statement@${first}`]);
});

it('a line that names no operation is repeated by the operation alone that counts its money (R22.4)', () => {
  const leg = { ...back, money: 'transfer', of: 'leg', account: 0, day: 1 } as const;
  const line = { ...back, money: 'transfer', of: 'line', statement: 0, import: 1 } as const;
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
