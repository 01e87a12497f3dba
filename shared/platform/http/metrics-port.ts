import { createApp, registerMetrics, type AppOptions } from './app.ts';
import { createMetrics } from './metrics.ts';
import { listen, type RunningServer } from './serve.ts';

/**
 * A service's metrics and probes on a port of their own: the one that merchants or payers reach
 * shows them nothing of the service. Without a port, or with one that another instance on this
 * machine has, the service runs without one.
 */
export async function listenForMetrics(
  { service, logger, metrics, notReady }: AppOptions & { service: string },
  { port, host }: { port: number | undefined; host: string },
): Promise<RunningServer | undefined> {
  if (port === undefined) return undefined;
  const app = createApp({
    logger,
    metrics: createMetrics(`${service}-metrics`),
    ...(notReady && { notReady }),
  });
  registerMetrics(app, metrics);
  return listen(app, { port, host }).catch((error: unknown) => {
    logger.warn({ err: error, port }, 'no metrics: the port is not available');
    return undefined;
  });
}
