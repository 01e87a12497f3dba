import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8');

type AlertRule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
};
type Panel = { title: string; targets?: { expr: string }[] };

/** The rules of alerts.yaml. */
export const alertRules: readonly AlertRule[] = (
  parse(read('alerts.yaml')) as { groups: { rules: AlertRule[] }[] }
).groups.flatMap(({ rules }) => rules);

type Dashboard = { panels: Panel[]; templating: { list: { query: string | { query: string } }[] } };
const dashboard = JSON.parse(read('dashboard.json')) as Dashboard;

/** Every expression of dashboards and alerts, with its location. */
export const expressions: readonly { where: string; expr: string }[] = [
  ...alertRules.map(({ alert, expr }) => ({ where: alert, expr })),
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: `panel “${title}”`, expr })),
  ),
  ...dashboard.templating.list.flatMap(({ query }) =>
    typeof query === 'string' ? [] : [{ where: 'a variable', expr: query.query }],
  ),
];

type Used = { name: string; labels: string[] };

/**
 * The metrics of an expression with the labels that they are selected by, and the labels that it
 * groups by.
 */
export function metricsIn(expr: string): { metrics: Used[]; grouped: string[] } {
  const metrics = [
    ...expr.matchAll(
      /\b((?:gateway|nodejs|process|kubelet_volume_stats)_\w+|up)\b(?:\{([^}]*)\})?/g,
    ),
  ].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
  }));
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );
  return { metrics, grouped };
}

/** The metric that a series belongs to: a histogram has three. */
export const metricOf = (series: string, isHistogram: (name: string) => boolean): string => {
  const name = series.replace(/_(bucket|sum|count)$/, '');
  return name !== series && isHistogram(name) ? name : series;
};
