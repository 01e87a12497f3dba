import { markdownTable } from '#infra/verify/harness/figures/tables.ts';
import { mustBeZero } from './count.ts';
import type { MatrixRowResult } from './matrix.ts';

const columns: readonly [string, (row: MatrixRowResult) => string | number][] = [
  ['fault', ({ name }) => name],
  ['times', ({ faults }) => faults.length],
  ['required', ({ count }) => count.required],
  ['deliveries', ({ count }) => count.deliveries],
  ['repeats', ({ count }) => count.repeats],
  ['in flight', ({ count }) => count.inFlight],
  ['rows', ({ count }) => count.rows],
  ['repaired', ({ repaired }) => repaired],
  ['missing', ({ count }) => count.missing],
  ['duplicate rows', ({ count }) => count.duplicates],
  ['out of order', ({ count }) => count.outOfOrder],
  ['other repeats', ({ count }) => count.strayRepeats],
  ['faults', ({ count }) => count.faults],
];

/** The matrix as a Markdown table. */
export function renderMatrix(rows: readonly MatrixRowResult[]): string {
  const head = columns.map(([name]) => name);
  const cells = rows.map((row) => columns.map(([, of]) => String(of(row))));
  return markdownTable(head, cells, 'figures');
}

/** The violations by row; undefined if there are none. */
export function failures(rows: readonly MatrixRowResult[]): string[] {
  return rows.flatMap(({ name, count }) =>
    mustBeZero.flatMap((key) => (count[key] === 0 ? [] : [`${name}: ${key} is ${count[key]}`])),
  );
}
