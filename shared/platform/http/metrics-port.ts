import { createApp, registerMetrics, type AppOptions } from './app.ts';
import { createMetrics } from './metrics.ts';
import { listen, type RunningServer } from './serve.ts';

/**
 * Serves a service's metrics and probes on a separate port, so that the public one shows nothing of
 * them. Without such a port, or if another instance on this machine has it, the service runs
 * without.
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
