import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeSpillFolder } from '../../log/spill/temp-folder.ts';
import { createRowIndex, differences, type RowTable } from './row-index.ts';

type Row = { table: RowTable; key: string; row: string };

/** What `differences` says of two sides, as text. */
function compared(expected: readonly Row[], live: readonly Row[]): string[] {
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

/** The same, found by looking at every row. */
function lookedThrough(expected: readonly Row[], live: readonly Row[]): string[] {
  const nameOf = ({ table, key }: Row) => `${table} ${key}`;
  const due = new Map(expected.map((row, at) => [nameOf(row), { ...row, position: at + 1 }]));
  const there = new Map(live.map((row) => [nameOf(row), row]));
  const found: string[] = [];
  for (const [name, { table, row, position }] of due) {
    const other = there.get(name);
    if (!other) found.push(`missing ${table} ${position}`);
    else if (other.row !== row) found.push(`differs ${table} ${position}`);
  }
  for (const [name, { table }] of there) if (!due.has(name)) found.push(`surplus ${table} 0`);
  return found.toSorted();
}

const anyRow: fc.Arbitrary<Row> = fc.record({
  table: fc.constantFrom<RowTable>('operations', 'legs', 'message'),
  key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  row: fc.constantFrom('one', 'two'),
});
const fewRows = fc.array(anyRow, { maxLength: 6 });

it('finds every row that is missing, too many or other, of a few rows on either side or none', () => {
  fc.assert(
    fc.property(fewRows, fewRows, (expected, live) => {
      expect(compared(expected, live)).toEqual(lookedThrough(expected, live));
    }),
    { numRuns: 400 },
  );
});

it('finds the one row by which two equal sides then part', () => {
  fc.assert(
    fc.property(fewRows, anyRow, fc.boolean(), (rows, odd, isExpected) => {
      const extra = { ...odd, key: 'odd' };
      const found = isExpected
        ? compared([...rows, extra], rows)
        : compared(rows, [...rows, extra]);
      expect(found).toEqual([
        isExpected ? `missing ${odd.table} ${rows.length + 1}` : `surplus ${odd.table} 0`,
      ]);
    }),
    { numRuns: 200 },
  );
});

it('finds them also among more rows than a partition has in memory', () => {
  const rows = Array.from({ length: 120_000 }, (_, at): Row => {
    return { table: at % 2 === 0 ? 'operations' : 'legs', key: String(at), row: `row ${at}` };
  });
  const live = rows.toSpliced(70_001, 1, { table: 'legs', key: '70001', row: 'other' }).slice(1);
  expect(compared(rows, [...live, { table: 'message', key: 'x', row: '' }])).toEqual([
    'differs legs 70002',
    'missing operations 1',
    'surplus message 0',
  ]);
});
