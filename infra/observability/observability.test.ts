import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documentedAlerts, documentedMetrics } from './testing/documented.ts';
import { alertRules, expressions, metricOf, metricsIn } from './testing/expressions.ts';

const documented = new Map(documentedMetrics.map((metric) => [metric.name, metric]));
const isHistogram = (name: string) => documented.get(name)?.type === 'histogram';
/** Labels of every series, of buckets of histograms, and of volumes in a cluster. */
const commonLabels = ['service', 'instance', 'job', 'le', 'namespace', 'persistentvolumeclaim'];

describe('dashboards and alert rules', () => {
  it.each(expressions)('use only documented metrics and labels: $where', ({ expr }) => {
    const { metrics, grouped } = metricsIn(expr);
    expect(metrics.length).toBeGreaterThan(0);
    const labels = new Set(commonLabels);
    for (const used of metrics.filter(({ name }) => name.startsWith('gateway_'))) {
      const metric = documented.get(metricOf(used.name, isHistogram));
      // A histogram has no series with its plain name, and only histograms have buckets.
      expect({
        name: used.name,
        known: metric !== undefined,
        series: !isHistogram(used.name),
      }).toEqual({
        name: used.name,
        known: true,
        series: true,
      });
      for (const label of metric?.labels ?? []) labels.add(label);
      for (const label of used.labels)
        expect([...commonLabels, ...(metric?.labels ?? [])]).toContain(label);
    }
    expect(grouped.filter((label) => !labels.has(label))).toEqual([]);
  });

  it('document every alert with its severity and runbook', () => {
    const rules = new Map(alertRules.map(({ alert, labels }) => [alert, labels.severity]));
    expect(Object.fromEntries(documentedAlerts)).toEqual(Object.fromEntries(rules));
    for (const { alert, annotations } of alertRules) {
      expect(annotations.summary).not.toBe('');
      const chapter = `/operators/runbook.md#${alert.toLowerCase()}`;
      expect(annotations.runbook_url).toBe(`{{ $externalLabels.gateway_docs }}${chapter}`);
    }
  });
});

it.each(['dashboard.json', 'business-dashboard.json'])(
  'has distinct panels that do not overlap in %s',
  (name) => {
    const { panels } = JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as {
      panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[];
    };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const overlaps = panels.flatMap(({ id, gridPos: a }, index) =>
      panels
        .slice(index + 1)
        .filter(
          ({ gridPos: b }) =>
            a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h,
        )
        .map((other) => [id, other.id]),
    );
    expect(overlaps).toEqual([]);
  },
);

it('names counters with _total, and times and ages with _seconds', () => {
  const odd = documentedMetrics.filter(({ name, type }) => {
    const isTime = /_(duration|lag|age|latency)(_|$)/.test(name) && !name.endsWith('_lag_events');
    return name.endsWith('_total') !== (type === 'counter') || name.endsWith('_seconds') !== isTime;
  });
  expect(odd).toEqual([]);
});
