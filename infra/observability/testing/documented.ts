import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const page = readFileSync(
  fileURLToPath(new URL('../../../docs/operators/observability.md', import.meta.url)),
  'utf8',
);

export type DocumentedMetric = { name: string; type: string; labels: string[]; on: string };

/** Rows of the page's tables whose first cell is a name in backticks. */
function rowsOf(pattern: RegExp): string[][] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(([first = '']) => pattern.test(first));
}

const withoutTicks = (text = '') => text.replaceAll('`', '');

/** The metrics that docs/operators/observability.md lists. */
export const documentedMetrics: readonly DocumentedMetric[] = rowsOf(/^`gateway_\w+`$/).map(
  ([name, type = '', labels = '', on = '']) => ({
    name: withoutTicks(name),
    type,
    labels: withoutTicks(labels)
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
    on,
  }),
);

/** The alerts that it explains, with their severity. */
export const documentedAlerts: ReadonlyMap<string, string> = new Map(
  rowsOf(/^`Gateway\w+`$/).map(([name, severity = '']) => [withoutTicks(name), severity]),
);
