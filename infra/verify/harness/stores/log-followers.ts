import { inject } from 'vitest';
import { operationsReadModel } from '#projections/operations/read-model.ts';
import { startProjections } from '#projections/start.ts';
import { createDueStore } from '#services/processor/due/postgres/due-store.ts';
import type { ProcessorDatabase } from '#services/processor/due/postgres/tables.ts';
import { startProcessor } from '#services/processor/processor.ts';
import { startWebhookService, type WebhookService } from '#services/webhooks/service.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import type { ErasableEventStore } from '#shared/platform/event-store/index.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';

type FollowerOptions = {
  store: ErasableEventStore;
  databaseUrl: string;
  logger: Logger;
  /** Of the relay's stream in NATS. */
  names: { stream: string; subject: string };
  /** Of the webhooks, each in a service of its own. */
  parts: readonly ('relay' | 'reconcile')[];
};

/** The services that follow the log from a checkpoint: read models, webhooks and due work. */
export function startLogFollowers({ store, databaseUrl, logger, names, parts }: FollowerOptions) {
  const db = connectDatabase<unknown>(databaseUrl, { applicationName: 'test', maxConnections: 12 });
  const dueDb = connectDatabase<ProcessorDatabase>(databaseUrl, { applicationName: 'processor' });
  const personal = testPersonalData(store);
  const projections = startProjections({
    db,
    store,
    logger,
    models: [operationsReadModel],
    heartbeatEveryMs: 50,
  });
  const webhooks = parts.map((part) => [
    `webhooks.${part}`,
    startWebhookService({
      store,
      personal,
      databaseUrl,
      natsUrl: inject('natsUrl'),
      scheduleMs: [0],
      allowPrivate: true,
      logger,
      metrics: createMetrics('webhooks'),
      names: { ...names, consumer: 'webhooks' },
      reconcile: { everyMs: 50, minAgeMs: 0, patienceMs: 0 },
      only: [part],
    }),
  ]);
  const processor = startProcessor({
    due: createDueStore(dueDb),
    store,
    providers: new Map(),
    personal,
    receipts: { get: async () => undefined },
    logger,
    metrics: createMetrics('processor'),
    saveEveryMs: 50,
    // It follows the log, but the operations of the tests have no shop.
    width: 0,
  });
  const followers = {
    'projections.operations': projections,
    ...(Object.fromEntries(webhooks) as Record<string, WebhookService>),
    processor,
  };
  return {
    db,
    /** The reason why each is not ready. */
    notReady: (): Record<string, string | undefined> =>
      Object.fromEntries(
        Object.entries(followers).map(([name, follower]) => [name, follower.notReady()]),
      ),
    stop: async () => {
      await Promise.all(Object.values(followers).map((follower) => follower.stop()));
      await Promise.all([db.destroy(), dueDb.destroy()]);
    },
  };
}
