import { guardCheckpoints } from '#shared/application/log/guard-checkpoints.ts';
import type { Kysely } from 'kysely';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { prepareDatabase } from '#shared/platform/database/prepare.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { liveSchema, type ReadModel } from './read-model.ts';
import { rebuild } from './rebuild/rebuild.ts';
import { readModels } from './registry.ts';
import { runnerMigrations } from './runner/migrations.ts';
import { forgetReplacedViews } from './runner/replaced-views.ts';
import {
  startProjectionWorker,
  type Worker,
  type ProjectionWorkerOptions,
} from './runner/worker.ts';
import type { WorkerStatus } from './runner/worker-status.ts';

export type ProjectionsOptions = {
  db: Kysely<unknown>;
  /** For rebuilds, whose statements take longer; `db` by default. */
  rebuildDb?: Kysely<unknown>;
  store: EventStore;
  logger: Logger;
  metrics?: Metrics;
  models?: readonly ReadModel[];
} & Pick<
  ProjectionWorkerOptions,
  'exclusive' | 'maxBatch' | 'stoppedPauseMs' | 'heartbeatEveryMs' | 'batchPauseMs'
>;

export type Projections = {
  /** Why they are not ready; undefined if each has a running worker. */
  notReady(): string | undefined;
  statuses(): readonly WorkerStatus[];
  stop(): Promise<void>;
};

/** The runner's own tables, and those of the webhooks, which some views read. */
async function prepare(db: Kysely<unknown>, logger: Logger): Promise<void> {
  await migrate(db, runnerMigrations);
  await migrateWebhooks(db);
  await forgetReplacedViews(db, logger);
}

/**
 * Starts a worker for every read model, as soon as the database is up. Never fails: `notReady`
 * names what is missing.
 */
export function startProjections(options: ProjectionsOptions): Projections {
  const { db, rebuildDb = db, store, logger, metrics, models = readModels, ...rest } = options;
  const guard = guardCheckpoints({ logger, metrics });
  const stopped = new AbortController();
  let workers: Worker[] = [];

  const starting = (async () => {
    const { signal } = stopped;
    if (!(await prepareDatabase(() => prepare(db, logger), { logger, signal }))) return;
    workers = models.map((model) =>
      startProjectionWorker({
        ...rest,
        db,
        store,
        guard,
        logger,
        target: { model, schema: liveSchema },
        rebuild: async () => {
          logger.info(
            { projection: model.name, version: model.version },
            'built by another version: rebuilding',
          );
          await rebuild({ db: rebuildDb, store, model, logger });
        },
      }),
    );
  })();

  return {
    notReady: () =>
      workers.length === 0
        ? 'the database is not there yet'
        : (guard.notReady() ??
          workers.map(({ status }) => status.notReady()).find((reason) => reason !== undefined)),
    statuses: () => workers.map(({ status }) => status),
    stop: async () => {
      stopped.abort();
      await starting;
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
