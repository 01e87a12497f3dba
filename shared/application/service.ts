import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError } from '#shared/platform/config/load.ts';
import { createHost, type Host } from '#shared/application/host.ts';
import type { StoreConnection } from '#shared/platform/event-store/connection.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { redactLogText } from '#shared/platform/logging/redact-value.ts';
import { startFailure } from '#shared/platform/start-failure.ts';
import { stopTracing } from '#shared/platform/tracing/tracing.ts';

/** Orchestrators kill after 30 s, of which the time before SIGTERM may take 5 s. */
const stopTimeoutMs = 24_000;
/** The start is over by then. */
const startedMs = 3_000;

/** A service that was started. */
type RunningService = {
  logger: Logger;
  /** Reports on /readyz that it is about to stop. @returns how long it continues to serve */
  leave?(): number;
  stop(): Promise<void>;
};

/** A service as its `main.ts` exports it, to be run alone or with others in one process. */
export type Service = {
  /** @throws ConfigError when its environment is invalid */
  start(host: Host): Promise<RunningService>;
};

/**
 * Several services as one: if one can't be started, none runs. They are stopped in reverse order.
 */
export function together(services: readonly Service[]): Service {
  return {
    start: async (host) => {
      const running: RunningService[] = [];
      for (const { start } of services) running.push(await start(host));
      const [first] = running;
      if (!first) throw new Error('no service is named');
      return {
        logger: first.logger,
        leave: () => Math.max(...running.map(({ leave }) => leave?.() ?? 0)),
        stop: async () => {
          for (const { stop } of running.toReversed()) await stop();
        },
      };
    },
  };
}

/** An event store in this process, used instead of the one at EVENT_STORE_URL. */
type StoreInProcess = {
  connect(): StoreConnection;
  /** Rejects when the store has ended: unless it was stopped, the process ends too. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
};

/**
 * Runs a service until SIGTERM or Ctrl-C. An invalid environment, a busy port and a full disk end
 * it with one readable report.
 */
export async function runService(
  { start }: Service,
  startStore?: () => Promise<StoreInProcess>,
): Promise<void> {
  const early = Promise.withResolvers<void>();
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) process.once(signal, () => early.resolve());
  try {
    const store = await startStore?.();
    const host = createHost(store?.connect);
    const failed = Promise.race([host.failed, ...(store ? [store.failed] : [])]);
    const { logger, leave, stop } = await Promise.race([start(host), failed]);
    // Written now, because at the end writing the code of a first start would delay the stop by
    // seconds.
    setTimeout(flushCompileCache, startedMs).unref();
    await Promise.race([early.promise, failed]);
    logger.info('stopping');
    await delay(leave?.() ?? 0);
    // A time limit for the stop. The timer also keeps the event loop alive: the event store's
    // client releases it before its last callbacks, and Node would end the process with code 13 in
    // the middle of `stop`.
    setTimeout(() => process.exit(1), stopTimeoutMs);
    await Promise.race([stop().then(() => host.close()), failed]);
    await store?.stop();
    await stopTracing();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n`);
    process.exit(1);
  }
}

function describeError(error: unknown): string {
  const { name, message, stack, cause } = error as Error;
  if (error instanceof ConfigError || name === 'StorageUnavailableError') return message;
  const text = startFailure(error) ?? redactLogText(String(stack ?? error));
  return cause === undefined ? text : `${text}\ncaused by ${describeError(cause)}`;
}
