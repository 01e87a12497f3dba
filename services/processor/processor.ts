import type { Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '#shared/database/migrate.ts';
import type { EventStore } from '#shared/event-store/index.ts';
import type { Metrics } from '#shared/http/metrics.ts';
import type { Logger } from '#shared/logger.ts';
import type { Providers } from '#shared/providers/connector.ts';
import { overdueCount } from './due/claims.ts';
import { runFeed } from './due/feed.ts';
import { defaultTimings, type Timings } from './due/next-look.ts';
import { processorMigrations, type ProcessorDatabase } from './due/tables.ts';
import { createProcessorMetrics } from './metrics.ts';
import { startWorker } from './worker.ts';

export type ProcessorOptions = {
  db: Kysely<ProcessorDatabase>;
  store: EventStore;
  providers: Providers;
  logger: Logger;
  metrics: Metrics;
  timings?: Timings;
  width?: number;
};

const defaultWidth = 16;
const prepareAgainMs = 250;

/** The processor's work: it follows the log and does what operations are owed, until it is stopped. */
export function startProcessor({ db, store, providers, logger, metrics, ...more }: ProcessorOptions): {
  stop(): Promise<void>;
} {
  const stopped = new AbortController();
  const { signal } = stopped;
  const timings = more.timings ?? defaultTimings;
  const { onStep } = createProcessorMetrics(metrics, () => overdueCount(db));
  const run = async () => {
    await prepareTables(db, { logger, signal });
    if (signal.aborted) return;
    const worker = startWorker({
      db,
      store,
      providers,
      timings,
      logger,
      onStep,
      now: () => Date.now(),
      random: () => Math.random(),
      width: more.width ?? defaultWidth,
      signal,
    });
    const feed = runFeed({ db, store, timings, logger, onNews: worker.wake, signal });
    await Promise.all([feed, worker.stopped]);
  };
  const running = run();
  return {
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}

/** Brings the tables up to date as soon as the database is there; a start beside it, or an outage, is waited out. */
async function prepareTables(
  db: Kysely<ProcessorDatabase>,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await migrate(db, processorMigrations);
      return;
    } catch (error) {
      logger.warn({ err: error }, 'the tables of the processor could not be prepared yet');
      await delay(prepareAgainMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
