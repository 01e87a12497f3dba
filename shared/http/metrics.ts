import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export type Metrics = Registry;

/** A registry of its own for each service: names of metrics start with `gateway_`. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

export function createHttpMetrics(registry: Metrics) {
  const duration = new Histogram({
    name: 'gateway_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  });
  return (request: { method: string; route: string; status: number; durationMs: number }) =>
    duration.observe(
      { method: request.method, route: request.route, status: request.status },
      request.durationMs / 1000,
    );
}
