import type { AppOptions } from '#shared/platform/http/app.ts';
import { listenForMetrics } from '#shared/platform/http/metrics-port.ts';
import {
  listen,
  type ListenOptions,
  type RunningServer,
  type ServedApp,
} from '#shared/platform/http/serve.ts';

type ServeOptions = ListenOptions & {
  /** If metrics and probes have a port of their own. */
  metricsPort?: number | undefined;
  notReady?: AppOptions['notReady'];
  /** More for the log line. */
  note?: object;
};

/**
 * The started parts of a service, which are stopped in this order: servers first, then the rest in
 * reverse order.
 */
export type Lifecycle = {
  /** Aborted as soon as the stop begins. */
  readonly signal: AbortSignal;
  /** Registers how to stop something that the service has started. The newest is stopped first. */
  onStop(end: () => unknown): void;
  serve(app: ServedApp, options: ServeOptions): Promise<RunningServer>;
  /** Its servers report on /readyz that they are about to stop, and continue to serve. */
  leave(): void;
  /**
   * Aborts the signal, accepts no more requests, waits for those in progress, then stops all else
   * one by one.
   */
  stop(): Promise<void>;
};

export function createLifecycle({
  name,
  logger,
  metrics,
}: Pick<AppOptions, 'logger' | 'metrics'> & { name: string }): Lifecycle {
  const stopped = new AbortController();
  const servers: RunningServer[] = [];
  const ends: (() => unknown)[] = [];
  return {
    signal: stopped.signal,
    onStop: (end) => void ends.push(end),
    serve: async (app, { metricsPort: port, notReady, note, ...options }) => {
      const server = await listen(app, options);
      servers.push(server);
      const own = { service: name, logger, metrics, ...(notReady && { notReady }) };
      const probes = await listenForMetrics(own, { port, host: options.host });
      if (probes) servers.push(probes);
      logger.info(
        { port: server.port, ...(probes && { metricsPort: probes.port }), ...note },
        'listening',
      );
      return server;
    },
    leave: () => {
      for (const server of servers) server.leave();
    },
    stop: async () => {
      stopped.abort();
      await Promise.all(servers.map((server) => server.close()));
      for (const end of ends.toReversed()) await end();
    },
  };
}
