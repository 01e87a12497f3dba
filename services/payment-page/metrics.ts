import { Gauge } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { StatusWatch } from './live/watch.ts';

/** How many pages are open and followed. */
export function watchMetrics(metrics: Metrics, watch: Pick<StatusWatch, 'count'>): void {
  const open: Gauge = new Gauge({
    name: 'gateway_payment_page_watchers',
    help: 'Open pages that receive live updates',
    registers: [metrics],
    collect: () => open.set(watch.count()),
  });
}
