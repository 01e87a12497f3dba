import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dueChannel, type WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { listMessages } from '#shared/application/webhooks/messages/list.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { redeliver } from '#shared/application/webhooks/messages/redeliver.ts';
import { startRestartableStores, type RestartableStores } from '../testing/restartable-stores.ts';

let stores: RestartableStores;
const clients: Client[] = [];
beforeAll(async () => {
  stores = await startRestartableStores();
  const administrator = await login();
  // The minimum of PostgreSQL, 512 KiB; the default is 8 GiB.
  await administrator.query('alter system set max_notify_queue_pages = 64');
  await clients.pop()?.end();
  await stores.postgres.end();
  await stores.postgres.start();
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await stores.stop();
});

async function login(): Promise<Client> {
  const client = new Client({ connectionString: stores.postgres.url });
  await client.connect();
  clients.push(client);
  return client;
}

it('records and queues webhooks while the PostgreSQL notification queue is full', async () => {
  const db = connectDatabase<WebhooksDatabase>(stores.postgres.url, { applicationName: 'test' });
  await migrateWebhooks(db);
  // While a transaction is open, all later notifications stay in the queue.
  const listener = await login();
  await listener.query(`listen ${dueChannel}`);
  await listener.query('begin; select 1');
  const flooder = await login();
  const notify = (sizes: string) =>
    flooder.query(
      `select pg_notify($1, repeat('x', ${sizes}) || n) from generate_series(1, 40) n`,
      [dueChannel],
    );
  await expect(
    (async () => {
      for (let count = 0; count < 10; count += 1) await notify('7900');
    })(),
  ).rejects.toThrow('too many notifications in the NOTIFY queue');

  const shopId = 'shop-1';
  const messageId = await ping(db, { shopId });
  expect(await redeliver(db, messageId)).toBe('accepted');
  const page = await listMessages(db, { shopId, limit: 10 });
  expect(page).toMatchObject({ messages: [{ message_id: messageId, status: 'pending' }] });
  await db.destroy();
});
