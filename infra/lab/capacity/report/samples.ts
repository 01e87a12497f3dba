import type { Sample } from '#infra/lab/load/sample/sample.ts';

/**
 * Every second as a row, for spreadsheets, with a column for each figure, named by where it is in a
 * sample. A figure that is not known is empty.
 */
export function samplesToCsv(samples: readonly Sample[]): string {
  const rows = samples.map((sample) => new Map(figuresOf(sample)));
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const cells = rows.map((row) => columns.map((column) => row.get(column) ?? ''));
  return `${[columns, ...cells].map((line) => line.join(',')).join('\n')}\n`;
}

function figuresOf(value: unknown, name = ''): [name: string, text: string][] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) =>
      figuresOf(inner, name === '' ? key : `${name}.${key}`),
    );
  if (typeof value !== 'number') return [[name, String(value)]];
  return [[name, Number.isFinite(value) ? String(Number(value.toPrecision(6))) : '']];
}
