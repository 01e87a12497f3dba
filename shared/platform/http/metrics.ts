import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import manifest from '../../../package.json' with { type: 'json' };

export type Metrics = Registry;

/**
 * How often the event loop's lag is sampled: by default it is a hundred times a second, which wakes
 * an idle process.
 */
const loopLookEveryMs = 100;

/** Metrics of the process, measured once and shown by each of its services. */
let processMetrics: Metrics | undefined;

function measureProcess(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopLookEveryMs });
  return registry;
}

/** A registry of its own for each service: names of metrics start with `gateway_`. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  processMetrics ??= measureProcess();
  for (const { name } of processMetrics.getMetricsAsArray()) {
    const metric = processMetrics.getSingleMetric(name);
    if (metric) registry.registerMetric(metric);
  }
  new Gauge({
    name: 'gateway_build_info',
    help: '1, labelled with the running version',
    labelNames: ['version', 'node_version'],
    registers: [registry],
  }).set({ version: manifest.version, node_version: process.versions.node }, 1);
  return registry;
}

/** Node's parser accepts some thirty more methods: a metric may not grow with what clients send. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export type HttpMetrics = {
  /** Counts a request as begun; call the returned function when it is answered. */
  begin(): (answered: { method: string; route: string; code: number }) => void;
};

/** Requests by route and code, and how many are under way; some 2 µs each. */
export function createHttpMetrics(registry: Metrics): HttpMetrics {
  const registers = [registry];
  const duration = new Histogram({
    name: 'gateway_http_request_duration_seconds',
    help: 'Request duration, by method, route pattern and status code',
    labelNames: ['method', 'route', 'code'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers,
  });
  let inFlight = 0;
  const gauge: Gauge = new Gauge({
    name: 'gateway_http_requests_in_flight',
    help: 'Requests in flight',
    registers,
    collect: () => gauge.set(inFlight),
  });
  return {
    begin: () => {
      const startedAt = performance.now();
      inFlight += 1;
      return ({ method, route, code }) => {
        inFlight -= 1;
        const label = methods.has(method) ? method : 'other';
        duration.observe({ method: label, route, code }, (performance.now() - startedAt) / 1000);
      };
    },
  };
}
