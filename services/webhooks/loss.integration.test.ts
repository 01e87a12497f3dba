import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { expectedMessages } from './message.ts';
import { startWebhookService, type ServicePart } from './service.ts';
import { completeOperation, createShop } from './testing/history.ts';
import { startReceiver } from './testing/receiver.ts';
import { startRestartableStores } from './testing/restartable-stores.ts';
import { startServiceProcess } from './testing/service-process.ts';
import { until } from './testing/until.ts';

const stores = forFile(startRestartableStores);
const store = storeForFile(() => stores.eventStore.url);

const connect = () =>
  connectDatabase<WebhooksDatabase>(stores.postgres.url, { applicationName: 'test' });

async function merchant() {
  const receiver = await startReceiver(newWebhookSecret());
  const { shopId, secret } = await createShop(store, { url: receiver.url });
  receiver.secret = secret;
  return { receiver, shopId };
}

/** The ids of all webhooks that the log requires for operations. */
async function expectedIds(operationIds: readonly string[]): Promise<string[]> {
  const streams = await Promise.all(operationIds.map((id) => store.read(`operation-${id}`)));
  return streams.flatMap((events) =>
    expectedMessages(events).messages.map(({ message }) => message.messageId),
  );
}

describe('a loss', () => {
  const start = async (only: readonly ServicePart[]) => {
    const service = startWebhookService({
      store,
      personal: testPersonalData(store),
      databaseUrl: stores.postgres.url,
      natsUrl: stores.nats.url,
      scheduleMs: [0, 50, 100],
      allowPrivate: true,
      logger: createLogger('webhooks', process.env['TEST_LOG_LEVEL'] ?? 'silent'),
      metrics: createMetrics('webhooks'),
      only,
      reconcile: { everyMs: 50, minAgeMs: 0, patienceMs: 0 },
    });
    await until('the service is ready', () => service.notReady() === undefined);
    return service;
  };
  const settled = async (shopId: string): Promise<string[]> => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { operationId } = await completeOperation(store, shopId);
      ids.push(operationId);
    }
    return ids;
  };

  it('of the database sends all webhooks again: deduplication in the stream drops none', async () => {
    const { receiver, shopId } = await merchant();
    const ids = await settled(shopId);
    const all = await start(['relay', 'ingest', 'dispatch']);
    await receiver.until(3);
    await all.stop();
    const db = connect();
    await sql`drop schema webhooks cascade`.execute(db);
    await db.destroy();

    const again = await start(['relay', 'ingest', 'dispatch']);
    await receiver.until(6);
    await again.stop();
    const expected = (await expectedIds(ids)).toSorted();
    expect(receiver.received.map(({ id }) => id).toSorted()).toEqual(
      [...expected, ...expected].toSorted(),
    );
  });

  it('of the stream does not stop the running service, and no webhook is missing (R14.13)', async () => {
    const { receiver, shopId } = await merchant();
    const service = await start(['relay', 'ingest', 'dispatch', 'reconcile']);
    await settled(shopId);
    await receiver.until(3);
    await stores.nats.end('SIGKILL');
    stores.nats.wipe();
    await settled(shopId);
    await stores.nats.start();
    await receiver.until(6);
    await settled(shopId);
    await receiver.until(9);
    await service.stop();
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(9);
  });
});

it('the service responds before its stores do, and reports what it waits for', async () => {
  const port = await findFreePort();
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const statusOf = (path: string) =>
    get(path).then(
      ({ status }) => status,
      () => 0,
    );
  await stores.nats.end();
  const service = startServiceProcess(stores, { port });
  try {
    await until('it lives', async () => (await statusOf('/livez')) === 204);
    await until('it waits', async () => (await (await get('/readyz')).text()).includes('NATS'));
    expect(await statusOf('/readyz')).toBe(503);
    await stores.nats.start();
    await until('it is ready', async () => (await statusOf('/readyz')) === 204);
    const metrics = await (await get('/metrics')).text();
    // Their number depends on the preceding tests.
    expect(metrics).toMatch(
      /^gateway_webhook_messages\{status="pending",service="webhooks"\} \d+$/m,
    );
    expect(metrics).toContain('gateway_webhook_relay_lag_seconds');
  } finally {
    const { code } = await service.stop(10_000);
    expect(code).toBe(0);
  }
});
