import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDatabase, type TestDatabase } from '#infra/testing/database.ts';
import { recordMessages } from '#services/webhooks/ingest/record.ts';
import { migrateWebhooks } from '#services/webhooks/queries.ts';
import { webhookCommandsStream } from '#shared/domain/webhook/events.ts';
import { newId } from '#shared/ids.ts';
import { startAdmin, tokens, type TestAdmin } from '../testing/admin.ts';

let database: TestDatabase;
let admin: TestAdmin;

beforeAll(async () => {
  database = await createDatabase();
  admin = await startAdmin({ eventStoreUrl: inject('eventStoreUrl'), databaseUrl: database.url });
});
afterAll(async () => {
  await admin.stop();
  await database.drop();
});

type Page = { messages: Record<string, unknown>[]; next_cursor: string | null };

const withWebhook = async () => {
  const shopId = await admin.newShop();
  await admin.ask(`PUT /admin/v1/shops/${shopId}/webhook`, { body: { url: 'http://127.0.0.1:9/' } });
  return shopId;
};
const messagesOf = async (shopId: string, query = '') =>
  (await admin.ask<Page>(`GET /admin/v1/shops/${shopId}/webhook-messages${query}`)).body;
const newestCommand = async () =>
  (await admin.store.read(webhookCommandsStream, { direction: 'backwards', maxCount: 1 }))[0];

test('before its tables are there, the list is not_ready', async () => {
  const shopId = await withWebhook();
  expect(await admin.ask(`GET /admin/v1/shops/${shopId}/webhook-messages`)).toMatchObject({
    status: 503,
    body: { code: 'not_ready' },
  });
  await migrateWebhooks(admin.db);
  expect(await messagesOf(shopId)).toEqual({ messages: [], next_cursor: null });
});

describe('a ping', () => {
  test('is a message of its own, and an event with its operator', async () => {
    const shopId = await withWebhook();
    const answer = await admin.ask(`POST /admin/v1/shops/${shopId}/webhook/ping`, { token: tokens.operator });
    expect(answer.status).toBe(202);
    expect((await messagesOf(shopId)).messages).toMatchObject([
      { message_id: answer.body['message_id'], type: 'ping', status: 'pending', attempts: [] },
    ]);
    expect(await newestCommand()).toMatchObject({
      type: 'WebhookPingRequested',
      data: { shop_id: shopId },
      metadata: { actor: 'operator:oleg' },
    });
  });

  test('needs an endpoint, and a role that may act', async () => {
    const bare = await admin.newShop();
    const path = `POST /admin/v1/shops/${bare}/webhook/ping`;
    expect(await admin.ask(path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await admin.ask(path, { token: tokens.auditor })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
  });
});

describe('messages', () => {
  const owed = async (shopId: string, operationId: string) => {
    const messages = [1, 2, 3].map((sequence) => ({
      messageId: newId(),
      shopId,
      operationId,
      sequence,
      type: 'payment.completed',
      body: '{}',
      occurredAt: new Date(),
    }));
    await recordMessages(admin.db, messages);
    return messages.map(({ messageId }) => messageId);
  };

  test('are listed by operation and status, page by page', async () => {
    const shopId = await withWebhook();
    const operationId = newId();
    const ids = await owed(shopId, operationId);
    await owed(shopId, newId());
    const found: unknown[] = [];
    let cursor = '';
    for (let pages = 0; pages < 3; pages += 1) {
      const page = await messagesOf(shopId, `?operation_id=${operationId}&limit=2${cursor}`);
      found.push(...page.messages.map((message) => message['message_id']));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(found).toEqual(ids);
    expect((await messagesOf(shopId)).messages).toHaveLength(6);
    expect((await messagesOf(shopId, '?status=pending')).messages).toHaveLength(6);
    expect((await messagesOf(shopId, '?status=exhausted')).messages).toEqual([]);
    expect((await messagesOf(await withWebhook())).messages).toEqual([]);
  });

  test.each(['status=gone', 'operation_id=x', 'cursor=x', 'limit=0', 'x=1'])('refuse %s', async (query) => {
    const shopId = await withWebhook();
    const answer = await admin.ask(`GET /admin/v1/shops/${shopId}/webhook-messages?${query}`);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ pointer: `/${query.split('=')[0]}` }] },
    });
  });

  test('are redelivered on demand, which is an event with its operator', async () => {
    const shopId = await withWebhook();
    const [first = ''] = await owed(shopId, newId());
    await admin.db
      .updateTable('webhooks.message')
      .set({ status: 'exhausted', due_at: null, finished_at: sql`now()` })
      .where('message_id', '=', first)
      .execute();
    expect((await messagesOf(shopId, '?status=exhausted')).messages).toHaveLength(1);
    expect((await admin.ask(`POST /admin/v1/webhook-messages/${first}/redeliver`)).status).toBe(202);
    expect((await messagesOf(shopId, '?status=exhausted')).messages).toEqual([]);
    expect(await newestCommand()).toMatchObject({
      type: 'WebhookRedeliveryRequested',
      data: { shop_id: shopId, message_id: first },
      metadata: { actor: 'operator:alice' },
    });
    expect(await admin.ask(`POST /admin/v1/webhook-messages/${newId()}/redeliver`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });
});
