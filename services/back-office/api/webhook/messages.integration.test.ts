import { sql } from 'kysely';
import { describe, expect, inject, test } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { recordMessages } from '#services/webhooks/ingest/record.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import { webhookCommandsStream } from '#shared/domain/webhook/events.ts';
import { newId } from '#shared/platform/ids.ts';
import { startAdmin, tokens, problem } from '../../testing/admin.ts';

const database = databaseForFile();
const admin = forFile(() =>
  startAdmin({ eventStoreUrl: inject('eventStoreUrl'), databaseUrl: database.url }),
);

type Page = { messages: Record<string, unknown>[]; next_cursor: string | null };

const withWebhook = () => admin.newShopWithWebhook();
const messagesOf = async (shopId: string, query = '') =>
  (await admin.call<Page>(`GET /admin/v1/shops/${shopId}/webhook-messages${query}`)).body;
const newestCommand = async () =>
  (await admin.store.read(webhookCommandsStream, { direction: 'backwards', maxCount: 1 }))[0];

test('returns not_ready until the tables exist', async () => {
  const shopId = await withWebhook();
  expect(await admin.call(`GET /admin/v1/shops/${shopId}/webhook-messages`)).toMatchObject(
    problem(503, 'not_ready'),
  );
  await migrateWebhooks(admin.db);
  expect(await messagesOf(shopId)).toEqual({ messages: [], next_cursor: null });
});

describe('a ping', () => {
  test('queues a message, and records an event with its operator', async () => {
    const shopId = await withWebhook();
    const path = `POST /admin/v1/shops/${shopId}/webhook/ping`;
    const answer = await admin.call(path, { token: tokens.operator });
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

  test('requires an endpoint', async () => {
    const path = `POST /admin/v1/shops/${await admin.newShop()}/webhook/ping`;
    expect(await admin.call(path)).toMatchObject(problem(404, 'not_found'));
  });
});

describe('messages', () => {
  const recordThree = async (shopId: string, operationId: string) => {
    const of = { shopId, operationId, type: 'payment.completed', body: '{}' } as const;
    const messages = [1, 2, 3].map((sequence) => {
      return { ...of, messageId: newId(), sequence, occurredAt: new Date() };
    });
    await recordMessages(admin.db, messages);
    return messages.map(({ messageId }) => messageId);
  };

  const exhaust = (ids: string[]) =>
    admin.db
      .updateTable('webhooks.message')
      .set({ status: 'exhausted', due_at: null, finished_at: sql`now()` })
      .where('message_id', 'in', ids)
      .execute();

  test('are listed in pages, and filtered by operation, status, type and time', async () => {
    const shopId = await withWebhook();
    const operationId = newId();
    const ids = await recordThree(shopId, operationId);
    await recordThree(shopId, newId());
    const listed: unknown[] = [];
    let cursor = '';
    for (let pages = 0; pages < 3; pages += 1) {
      const page = await messagesOf(shopId, `?operation_id=${operationId}&limit=2${cursor}`);
      listed.push(...page.messages.map((message) => message['message_id']));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(listed).toEqual(ids);
    const counted = async (query: string) => (await messagesOf(shopId, query)).messages.length;
    for (const all of [
      '',
      '?status=pending',
      '?type=payment.completed',
      '?to=2999-01-01T00:00:00Z',
    ])
      expect([all, await counted(all)]).toEqual([all, 6]);
    for (const none of ['?status=exhausted', '?type=ping', '?from=2999-01-01T00:00:00Z'])
      expect([none, await counted(none)]).toEqual([none, 0]);
    expect((await messagesOf(await withWebhook())).messages).toEqual([]);
  });

  test.each(['status=gone', 'operation_id=x', 'cursor=x', 'limit=0', 'x=1'])(
    'return 400 for %s',
    async (query) => {
      const shopId = await withWebhook();
      const answer = await admin.call(`GET /admin/v1/shops/${shopId}/webhook-messages?${query}`);
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', errors: [{ pointer: `/${query.split('=')[0]}` }] },
      });
    },
  );

  test('are redelivered on request, with an event of the operator', async () => {
    const shopId = await withWebhook();
    const [first = ''] = await recordThree(shopId, newId());
    await exhaust([first]);
    expect((await messagesOf(shopId, '?status=exhausted')).messages).toHaveLength(1);
    const redeliver = (id: string) => admin.call(`POST /admin/v1/webhook-messages/${id}/redeliver`);
    expect((await redeliver(first)).status).toBe(202);
    expect((await messagesOf(shopId, '?status=exhausted')).messages).toEqual([]);
    expect(await newestCommand()).toMatchObject({
      type: 'WebhookRedeliveryRequested',
      data: { shop_id: shopId, message_id: first },
      metadata: { actor: 'operator:alice' },
    });
    expect(await redeliver(newId())).toMatchObject(problem(404, 'not_found'));
  });

  describe('redelivery by filter', () => {
    const redeliver = (shopId: string, body: object) =>
      admin.call<{ count: number; next_cursor: string | null }>(
        `POST /admin/v1/shops/${shopId}/webhook-messages/redeliver`,
        { body, token: tokens.operator },
      );
    const due = async (shopId: string) => {
      const { messages } = await messagesOf(shopId, '?status=pending');
      return messages.filter((message) => message['next_attempt_at'] !== null).length;
    };

    test('resends only exhausted messages of the shop; the first of each operation is due', async () => {
      const [shopId, other] = [await withWebhook(), await withWebhook()];
      const first = await recordThree(shopId, newId());
      const ids = [...first, ...(await recordThree(shopId, newId()))];
      const others = await recordThree(other, newId());
      await exhaust([...ids.slice(0, 5), ...others]);
      const answer = await redeliver(shopId, {});
      expect(answer).toMatchObject({ status: 202, body: { count: 5, next_cursor: null } });
      expect((await messagesOf(shopId, '?status=pending')).messages).toHaveLength(6);
      expect(await due(shopId)).toBe(2);
      expect((await messagesOf(other, '?status=exhausted')).messages).toHaveLength(3);
      expect((await redeliver(shopId, {})).body.count).toBe(0);
      expect(await newestCommand()).toMatchObject({
        type: 'WebhookRedeliveriesRequested',
        data: { shop_id: shopId, status: 'exhausted' },
        metadata: { actor: 'operator:oleg' },
      });
    });

    test('selects by operation, time and status', async () => {
      const shopId = await withWebhook();
      const operationId = newId();
      const ids = await recordThree(shopId, operationId);
      const rest = await recordThree(shopId, newId());
      await exhaust([...ids, ...rest]);
      const minute = (from: number) => new Date(Date.now() + from * 60_000).toISOString();
      for (const none of [{ from: minute(1) }, { to: minute(-1) }, { status: 'delivered' }])
        expect((await redeliver(shopId, none)).body.count).toBe(0);
      const one = { operation_id: operationId.toUpperCase(), from: minute(-1), to: minute(1) };
      expect((await redeliver(shopId, one)).body.count).toBe(3);
      expect((await redeliver(shopId, { status: 'pending' })).body.count).toBe(3);
      expect((await redeliver(shopId, {})).body.count).toBe(3);
    });

    test('selects by type and endpoint, which the event records (R14.8)', async () => {
      const shopId = await withWebhook();
      await exhaust(await recordThree(shopId, newId()));
      expect((await redeliver(shopId, { type: 'payment.declined' })).body.count).toBe(0);
      expect((await redeliver(shopId, { endpoint_id: newId() })).body.count).toBe(0);
      const both = { type: 'payment.completed', endpoint_id: shopId };
      expect((await redeliver(shopId, both)).body.count).toBe(3);
      expect(await newestCommand()).toMatchObject({
        data: { shop_id: shopId, ...both },
        metadata: { schema_version: 2 },
      });
    });

    test('resends any number in bounded pages, each message once', async () => {
      const shopId = await withWebhook();
      const total = 2_004;
      await sql`
        insert into webhooks.message (message_id, shop_id, operation_id, sequence, type, body, occurred_at, status, finished_at)
        select ${shopId} || '-' || n, ${shopId}, ${shopId} || '-' || n, 1, 'payment.completed', '{}', now(), 'delivered', now()
        from generate_series(1, ${total}::int) n`.execute(admin.db);
      // Autovacuum analyzes the table as well after this number of inserts.
      await sql`analyze webhooks.message`.execute(admin.db);
      const first = await redeliver(shopId, { status: 'delivered' });
      expect(first).toMatchObject({
        status: 202,
        body: { count: 2_000, next_cursor: expect.any(String) },
      });
      const rest = await redeliver(shopId, { status: 'delivered', cursor: first.body.next_cursor });
      expect(rest.body).toEqual({ count: 4, next_cursor: null });
    });

    test.each<[object, string]>([
      [{ status: 'gone' }, '/status'],
      [{ operation_id: 'x' }, '/operation_id'],
      [{ from: 'yesterday' }, '/from'],
      [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T23:00:00-01:00' }, '/to'],
      [{ cursor: 'x' }, '/cursor'],
      [{ shop: 'x' }, '/shop'],
    ])('rejects %j', async (body, pointer) => {
      const shopId = await withWebhook();
      const before = await newestCommand();
      expect(await redeliver(shopId, body)).toMatchObject({
        status: 400,
        body: { errors: [{ pointer }] },
      });
      expect(await newestCommand()).toEqual(before);
    });

    test('returns 404 for an unknown shop', async () => {
      expect((await redeliver(newId(), {})).status).toBe(404);
    });
  });
});
