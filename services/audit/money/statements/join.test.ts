import { expect, it } from 'vitest';
import {
  expected,
  minor,
  sampleStatements,
  type Sample,
} from '#projections/testing/any-statements.ts';
import { findingKey, join } from './join.ts';
import { hashId, legKey, moneys, readRecords, writeRecord, type MoneyRecord } from './records.ts';

const days = { dayOf: () => 1, statementOf: () => 0 };
const returnedMoney = {
  key: legKey('a', 'back-1'),
  money: 'return',
  direction: 'in',
  amount: 100n,
  position: 1,
} as const;

/** The findings after the line and the leg were written to a file and read back. */
const findingsOf = (lineOf: string | undefined, legOf: string | undefined) => {
  const operation = hashId('operation');
  const at = { statement: 0, import: 1, line: 1 };
  const written: MoneyRecord[] = [
    { ...returnedMoney, of: 'line', operation, ofLeg: hashId(lineOf), ...at },
    { ...returnedMoney, of: 'leg', operation, ofLeg: hashId(legOf), account: 0, day: 1 },
  ];
  const records = [...readRecords(Buffer.concat(written.map(writeRecord)))];
  const lines = records.filter((each) => each.of === 'line');
  const legs = records.filter((each) => each.of === 'leg');
  return [...join(lines, legs, days).findings.keys()];
};

it('reports a return whose line names another leg than the operation does (R22.13)', () => {
  expect(findingsOf('leg-1', 'leg-2')).toEqual([
    `0 operation_differs.return@${hashId('operation')}`,
  ]);
  expect(findingsOf('leg-1', 'leg-1')).toEqual([]);
  expect(findingsOf(undefined, 'leg-1')).toEqual([]);
  expect(findingsOf('leg-1', undefined)).toEqual([]);
});

const dayNumber = (day: string) => Date.parse(day) / 86_400_000;

/** All lines of statements and all counted money, as the auditor's records. */
const recordsOf = ({ money, days: stated }: Sample): MoneyRecord[] => [
  ...stated.flatMap(({ lines }, statement) =>
    lines.map((line) => ({
      of: 'line' as const,
      key: legKey('a', line.leg_id),
      money: line.kind === 'chargeback' ? ('return' as const) : line.kind,
      direction: line.direction,
      operation: hashId(line.operation_id),
      ofLeg: hashId(line.of_leg_id),
      amount: minor(line.amount),
      position: 1,
      statement,
      import: 1,
      line: line.line,
    })),
  ),
  ...money.map((counted) => ({
    of: 'leg' as const,
    key: legKey('a', counted.legId),
    money: counted.kind,
    direction: counted.direction,
    operation: hashId(counted.operationId),
    ofLeg: hashId(counted.ofLegId),
    amount: minor(counted.amount),
    position: 1,
    account: 0,
    day: dayNumber(counted.completedAt.slice(0, 10)),
  })),
];

/** The auditor's result for these records, joined leg by leg. */
function joinedOf(world: Sample): { confirmed: number; findings: string[] } {
  const stated = world.days.map(({ day }) => dayNumber(day));
  const of = {
    dayOf: (statement: number) => stated[statement] ?? 0,
    statementOf: (_account: number, day: number) =>
      stated.includes(day) ? stated.indexOf(day) : undefined,
  };
  const groups = [...Map.groupBy(recordsOf(world), ({ key }) => key)].map(([key, records]) => {
    const lines = records.filter((each) => each.of === 'line');
    const legs = records.filter((each) => each.of === 'leg');
    return { key, ...join(lines, legs, of) };
  });
  return {
    confirmed: groups.reduce((sum, { confirmed }) => sum + confirmed, 0),
    findings: groups.flatMap(({ key, findings }) => [...findings.keys()].map((id) => key + id)),
  };
}

it('agrees with the specification for any statements and operations (R22.3, R22.4)', () => {
  const kinds = new Set<string>();
  for (let seed = 1; seed <= 1_000; seed += 1) {
    const world = sampleStatements(seed);
    const wanted = world.days.map((day) => expected(world, day));
    const findings = wanted.flatMap((each, statement) =>
      each.findings
        .filter(({ kind }) => kind !== 'balance_differs')
        .map(({ id, kind, legId = '', line }) => {
          kinds.add(kind);
          const repeated = kind === 'duplicate_line';
          const operation = hashId(/@([^:]+):/.exec(id)?.[1]);
          const money = moneys.find((name) => id.startsWith(`${kind}.${name}`));
          const about = repeated ? { line } : { operation, money };
          return legKey('a', legId) + findingKey({ statement, finding: kind, ...about });
        }),
    );
    const confirmed = wanted.reduce((sum, each) => sum + each.confirmed.length, 0);
    const joined = joinedOf(world);
    expect(joined.findings.toSorted(), `seed ${seed}`).toEqual(findings.toSorted());
    expect(joined.confirmed, `seed ${seed}`).toBe(confirmed);
  }
  // Every kind except that of balances, which need no matching.
  expect(kinds.size).toBe(10);
});
