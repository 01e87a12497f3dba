import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';

/** Deliveries of callbacks by outcome, and how many callbacks wait for one. */
export function createCallbackMetrics(metrics: Metrics, waiting: () => number) {
  const deliveries = new Counter({
    name: 'gateway_sandbox_callback_deliveries_total',
    help: 'Callback delivery attempts, by outcome',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  const gauge: Gauge = new Gauge({
    name: 'gateway_sandbox_callbacks_waiting',
    help: 'Callbacks not yet delivered to the gateway',
    registers: [metrics],
    collect: () => gauge.set(waiting()),
  });
  return (outcome: 'delivered' | 'failed') => deliveries.inc({ outcome });
}
