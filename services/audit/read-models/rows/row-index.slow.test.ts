import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeSpillFolder } from '../../log/spill/temp-folder.ts';
import { createRowIndex, differences, type RowTable } from './row-index.ts';

type Row = { table: RowTable; key: string; row: string };

/** The differences of two sides as text. */
function compareIndexes(expected: readonly Row[], live: readonly Row[]): string[] {
  const spill = makeSpillFolder();
  const sides = {
    expected: createRowIndex(spill.path, 'a'),
    live: createRowIndex(spill.path, 'b'),
  };
  try {
    expected.forEach((row, at) => sides.expected.put({ ...row, position: at + 1 }));
    for (const row of live) sides.live.put({ ...row, position: 0 });
    return [...differences(sides.expected, sides.live)]
      .map(({ kind, table, position }) => `${kind} ${table} ${position}`)
      .toSorted();
  } finally {
    sides.expected.close();
    sides.live.close();
    spill.remove();
  }
}

/** The same by a direct comparison of all rows. */
function compareDirectly(expected: readonly Row[], live: readonly Row[]): string[] {
  const nameOf = ({ table, key }: Row) => `${table} ${key}`;
  const expectedByName = new Map(
    expected.map((row, at) => [nameOf(row), { ...row, position: at + 1 }]),
  );
  const liveByName = new Map(live.map((row) => [nameOf(row), row]));
  const differing: string[] = [];
  for (const [name, { table, row, position }] of expectedByName) {
    const other = liveByName.get(name);
    if (!other) differing.push(`missing ${table} ${position}`);
    else if (other.row !== row) differing.push(`differs ${table} ${position}`);
  }
  for (const [name, { table }] of liveByName)
    if (!expectedByName.has(name)) differing.push(`surplus ${table} 0`);
  return differing.toSorted();
}

const anyRow: fc.Arbitrary<Row> = fc.record({
  table: fc.constantFrom<RowTable>('operations', 'legs', 'message'),
  key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  row: fc.constantFrom('one', 'two'),
});
const fewRows = fc.array(anyRow, { maxLength: 6 });

it('finds every missing, surplus and changed row of small inputs', () => {
  fc.assert(
    fc.property(fewRows, fewRows, (expected, live) => {
      expect(compareIndexes(expected, live)).toEqual(compareDirectly(expected, live));
    }),
    { numRuns: 400 },
  );
});

it('finds differences among more rows than a partition holds in memory', () => {
  const rows = Array.from({ length: 120_000 }, (_, at): Row => {
    return { table: at % 2 === 0 ? 'operations' : 'legs', key: String(at), row: `row ${at}` };
  });
  const live = rows.toSpliced(70_001, 1, { table: 'legs', key: '70001', row: 'other' }).slice(1);
  expect(compareIndexes(rows, [...live, { table: 'message', key: 'x', row: '' }])).toEqual([
    'differs legs 70002',
    'missing operations 1',
    'surplus message 0',
  ]);
});
