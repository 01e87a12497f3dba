import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pageOf = (name: string) =>
  readFileSync(
    fileURLToPath(new URL(`../../../docs/operators/${name}.md`, import.meta.url)),
    'utf8',
  );

type DocumentedMetric = { name: string; type: string; labels: string[]; on: string };

/** The metrics in docs/operators/observability.md: name (type; services; by labels): meaning. */
export const documentedMetrics: readonly DocumentedMetric[] = [
  ...pageOf('observability').matchAll(
    /^- `(gateway_\w+)`\s\((\w+);\s([^;)]+)(?:;\s+by\s([^)]+))?\):/gm,
  ),
].map(([, name = '', type = '', on = '', labels = '']) => ({
  name,
  type,
  labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  on: on.replaceAll(/\s+/g, ' '),
}));

/** The alerts with a chapter in docs/operators/runbook.md, and their severity. */
export const documentedAlerts: ReadonlyMap<string, string> = new Map(
  [...pageOf('runbook').matchAll(/^### (Gateway\w+)\n\n`(\w+)`\. /gm)].map(
    ([, name = '', severity = '']) => [name, severity],
  ),
);
