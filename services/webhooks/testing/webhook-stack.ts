import { connect } from 'nats';
import type { Kysely } from 'kysely';
import { inject } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { startOwnLog } from '#infra/verify/harness/stores/own-log.ts';
import { createDatabase } from '#infra/verify/harness/stores/database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { natsConnectionOptions } from '#shared/platform/nats/connection-options.ts';
import { createLogKey } from '#shared/platform/event-store/signature.ts';
import type { BusNames } from '../bus.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { listMessages, type MessageView } from '#shared/application/webhooks/messages/list.ts';
import {
  startWebhookService,
  type WebhookService,
  type WebhookServiceOptions,
} from '../service.ts';
import { until } from './until.ts';

/** The key of the service. */
const testMacKey = createLogKey('webhooks', Buffer.alloc(32, 'a key').toString('base64'));

export type TestStack = {
  store: EventStore;
  db: Kysely<WebhooksDatabase>;
  databaseUrl: string;
  names: BusNames;
  /** Starts the service, or another instance; ready when this resolves. */
  start(more?: Partial<WebhookServiceOptions>): Promise<WebhookService>;
  /** A shop's messages, the newest first. */
  messages(shopId: string): Promise<MessageView[]>;
  close(): Promise<void>;
};

/**
 * The service's stores: its own log, because a service delivers everything in its log, its own
 * database, and its own stream in the shared NATS.
 */
export async function createStack(): Promise<TestStack> {
  const log = await startOwnLog();
  const eventStoreUrl = log.url;
  const database = await createDatabase();
  const suffix = newId().slice(0, 8);
  const names: BusNames = {
    stream: `events_${suffix}`,
    subject: `test.${suffix}.operation`,
    consumer: 'webhooks',
  };
  const store = connectEventStore(eventStoreUrl);
  const db = connectDatabase<WebhooksDatabase>(database.url, { applicationName: 'test' });
  const services = new Set<WebhookService>();
  return {
    store,
    db,
    databaseUrl: database.url,
    names,
    start: async (more = {}) => {
      const service = startWebhookService({
        store,
        personal: testPersonalData(store),
        macKey: testMacKey,
        databaseUrl: database.url,
        natsUrl: inject('natsUrl'),
        scheduleMs: [0, 50, 100],
        allowPrivate: true,
        logger: createLogger('webhooks', process.env['TEST_LOG_LEVEL'] ?? 'silent'),
        metrics: createMetrics('webhooks'),
        names,
        attemptDeadlineMs: 60_000,
        ...more,
      });
      services.add(service);
      await until('the service is ready', () => service.notReady() === undefined);
      return service;
    },
    messages: async (shopId) => {
      const page = await listMessages(db, { shopId, limit: 200 });
      return 'messages' in page ? page.messages : [];
    },
    close: async () => {
      await Promise.all([...services].map((service) => service.stop()));
      await db.destroy();
      await store.close();
      await deleteStream(names.stream);
      await database.drop();
      await log.stop();
    },
  };
}

export const webhookStackForFile = (): TestStack => forFile(createStack);

/** Has the effect of wiping NATS. */
async function deleteStream(stream: string): Promise<void> {
  const nats = await connect(natsConnectionOptions(inject('natsUrl')));
  try {
    const manager = await nats.jetstreamManager();
    await manager.streams.delete(stream).catch(() => undefined);
  } finally {
    await nats.close();
  }
}
