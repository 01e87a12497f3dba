import { textTable } from '#infra/verify/harness/figures/tables.ts';
import type { Figure, BenchSection } from './section.ts';
import type { ReportRow } from './rounds.ts';
import type { Spread } from '#infra/verify/harness/figures/statistics.ts';

const headings = ['', 'per second', 'p50 ms', 'p95 ms', 'p99 ms', 'CPU µs/op', 'stolen', 'ratio'];

/** The section as a table: medians, with the minimum and the maximum of the rounds in brackets. */
export function renderSection({ name, about, rows, figures }: BenchSection): string {
  const lines = [`\n${name}\n${about}\n`];
  if (rows.length > 0) lines.push(textTable([headings, ...rows.map(rowCells)]));
  if (figures.length > 0) lines.push(textTable(figures.map(figureCells)));
  return `${lines.join('\n')}\n`;
}

function rowCells(row: ReportRow): string[] {
  return [
    row.name,
    withRange(row.perSecond, 0),
    withoutRange(row.p50Ms),
    withoutRange(row.p95Ms),
    withoutRange(row.p99Ms),
    withoutRange(row.cpuMicros, 0),
    `${(row.stolen.median * 100).toFixed(0)} %`,
    row.ratios.map(({ to, ratio }) => `${withRange(ratio, 2)} of ${to}`).join(', '),
  ];
}

const figureCells = ({ name, unit, value }: Figure): string[] => [
  name,
  `${withRange(value, value.max < 100 ? 1 : 0)} ${unit}`,
];

function withRange({ median, min, max }: Spread, digits: number): string {
  const [middle, low, high] = [median, min, max].map((figure) => figure.toFixed(digits));
  return `${middle} [${low}–${high}]`;
}

const withoutRange = ({ median }: Spread, digits = 1) =>
  median === 0 ? '' : median.toFixed(digits);
