import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const page = readFileSync(
  fileURLToPath(new URL('../../../docs/operators/observability.md', import.meta.url)),
  'utf8',
);

export type DocumentedMetric = { name: string; type: string; labels: string[]; on: string };

/** The metrics that docs/operators/observability.md lists: name (type; services; by labels): meaning. */
export const documentedMetrics: readonly DocumentedMetric[] = [
  ...page.matchAll(/^- `(gateway_\w+)`\s\((\w+);\s([^;)]+)(?:;\s+by\s([^)]+))?\):/gm),
].map(([, name = '', type = '', on = '', labels = '']) => ({
  name,
  type,
  labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  on: on.replaceAll(/\s+/g, ' '),
}));

/** The alerts that it explains, with their severity. */
export const documentedAlerts: ReadonlyMap<string, string> = new Map(
  [...page.matchAll(/^- `(Gateway\w+)` \((\w+)\):/gm)].map(([, name = '', severity = '']) => [
    name,
    severity,
  ]),
);
