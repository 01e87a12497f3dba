export type ExposedMetric = {
  type: string;
  /** The labels of all its series; undefined if it has none yet. */
  labels: ReadonlySet<string> | undefined;
};

/** Parses the /metrics of a service (Prometheus text format) by metric name. */
export function parseExposition(text: string): Map<string, ExposedMetric> {
  const metrics = new Map<string, { type: string; labels: Set<string> | undefined }>();
  for (const line of text.split('\n')) {
    const [, declared, type] = /^# TYPE (\w+) (\w+)/.exec(line) ?? [];
    if (declared !== undefined && type !== undefined)
      metrics.set(declared, { type, labels: undefined });
    const [, series = '', selector = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
    const metric = metrics.get(series) ?? metrics.get(series.replace(/_(bucket|sum|count)$/, ''));
    if (line.startsWith('#') || !metric) continue;
    metric.labels ??= new Set();
    for (const [, label = ''] of selector.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g))
      metric.labels.add(label);
  }
  return metrics;
}
