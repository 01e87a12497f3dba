import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createApp, registerMetrics } from '#shared/platform/http/app.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { registerProjectionMetrics } from './runner/metrics.ts';
import type { Projections } from './start.ts';

/**
 * Probes and metrics. Ready: every read model has its tables and a running worker, however far
 * behind it is.
 */
export function createProjectionsApp(options: {
  logger: Logger;
  metrics: Metrics;
  store: EventStore;
  projections: Pick<Projections, 'notReady' | 'statuses'>;
}) {
  const { logger, metrics, store, projections } = options;
  const app = createApp({ logger, metrics, notReady: () => projections.notReady() });
  registerProjectionMetrics(metrics, store, () => projections.statuses());
  registerMetrics(app, metrics);
  return app;
}
