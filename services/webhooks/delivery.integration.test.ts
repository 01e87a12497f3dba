import { beforeAll, describe, expect, it } from 'vitest';
import { webhookStackForFile } from './testing/webhook-stack.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';
import { listMessages, type MessagePage } from '#shared/application/webhooks/messages/list.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { redeliverByFilter } from '#shared/application/webhooks/messages/redeliver-by-filter.ts';
import { redeliver } from '#shared/application/webhooks/messages/redeliver.ts';
import {
  changeShop,
  completeOperation,
  configured,
  createOperation,
  createShop,
  endOperation,
} from './testing/history.ts';
import { createMerchant } from './testing/merchant.ts';
import { respondInOrder, startReceiver, status, type Received } from './testing/receiver.ts';
import { until } from './testing/until.ts';

const stack = webhookStackForFile();
beforeAll(async () => {
  await stack.start();
});

describe('a webhook', () => {
  it('is sent for awaiting_confirmation and the terminal status, signed and in order (R14.1, R14.2)', async () => {
    const { receiver, shopId, untilStatus } = await createMerchant(stack);
    const { operationId, merchantOperationId } = await createOperation(stack.store, shopId, {
      receipt: true,
    });
    await receiver.until(1);
    const eventId = await endOperation(stack.store, operationId);
    const [first, second] = await receiver.until(2);
    expect(receiver.forged).toEqual([]);
    expect(first?.message.type).toBe('payment.awaiting_confirmation');
    expect(second?.headers['content-type']).toBe('application/json');
    expect(second?.path).toBe('/hooks?shop=1');
    expect(second?.id).toBe(eventId);
    expect(second?.message).toEqual({
      id: eventId,
      type: 'payment.completed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      sequence: 2,
      data: {
        shop_id: shopId,
        operation: {
          operation_id: operationId,
          type: 'payment',
          status: 'completed',
          method: 'WT_RUB_C2C',
          expected_amount: '100.00',
          actual_amount: '100.00',
          currency: 'RUB',
          recorded_currency: 'RUB',
          recorded_amount: '100.00',
          settlement_amount: '97.50',
          settlement_currency: 'RUB',
          commission_amount: '2.50',
          external_confirmation: { required: true, methods: ['receipt'] },
          merchant_operation_id: merchantOperationId,
          client_id: 'client-1',
          created_at: expect.stringMatching(/Z$/),
        },
      },
    });
    await untilStatus('delivered', 'delivered');
  });

  it('shows the operation as it was at the event, and no destination (R14.2)', async () => {
    const { receiver, shopId } = await createMerchant(stack);
    const { operationId } = await createOperation(stack.store, shopId, { type: 'payout' });
    await endOperation(stack.store, operationId, 'declined');
    const [only] = await receiver.until(1);
    expect(only?.message.type).toBe('payout.declined');
    expect(only?.message.data.operation).not.toHaveProperty('number');
    expect(only?.message.data.operation).not.toHaveProperty('name');
    // Ids are random, and may contain any four digits.
    const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
    expect(only?.body.replaceAll(ids, '')).not.toMatch(/4276|5678|Ivan/);
  });

  it('is sent again unchanged after failures, and later ones of the operation wait (R14.5, R14.9)', async () => {
    const { receiver, shopId, untilStatus } = await createMerchant(stack);
    receiver.answer = respondInOrder(status(500), status(503), status(200));
    const { operationId } = await completeOperation(stack.store, shopId, { receipt: true });
    const received = await receiver.until(4);
    expect(received.map(({ message }) => message.sequence)).toEqual([1, 1, 1, 2]);
    expect(new Set(received.slice(0, 3).map(({ body, id }) => `${id} ${body}`)).size).toBe(1);
    const [first, second] = await untilStatus('delivered', 'delivered');
    expect(second).toMatchObject({ sequence: 2, operation_id: operationId, next_attempt_at: null });
    expect(first?.attempts.map((attempt) => attempt.status)).toEqual([500, 503, 200]);
    expect(first?.attempts[0]).toMatchObject({ error: 'the endpoint answered 500', answer: '' });
  });

  it('is delivered once by an endpoint whose server sends interim responses first (R14.6)', async () => {
    const { receiver, shopId, untilStatus } = await createMerchant(stack);
    receiver.answer = (_received, response) => {
      response.socket?.write('HTTP/1.1 100 Continue\r\n\r\n');
      response.socket?.write('HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n');
      response.writeHead(204).end();
    };
    await completeOperation(stack.store, shopId);
    const [message] = await untilStatus('delivered');
    expect(message?.attempts).toMatchObject([{ status: 204, error: null }]);
    expect(receiver.received).toHaveLength(1);
  });

  it('is signed with each secret that is still valid, and no other (R14.4)', async () => {
    const { receiver, shopId } = await createMerchant(stack);
    const [passing, next] = [newWebhookSecret(), newWebhookSecret()];
    const rotated = (secret: string, inMs: number) => ({
      type: 'WebhookSecretIssued' as const,
      data: { secret, previous_valid_until: new Date(Date.now() + inMs).toISOString() },
    });
    // The second secret expired before the first: each overlap has its own end.
    await changeShop(stack.store, shopId, [rotated(passing, 86_400_000), rotated(next, -1_000)]);
    await completeOperation(stack.store, shopId);
    const [first] = await receiver.until(1);
    expect(String(first?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    receiver.secret = next;
    await ping(stack.db, { shopId });
    const [, second] = await receiver.until(2);
    expect(second?.message).toMatchObject({ type: 'ping', sequence: 1, data: { shop_id: shopId } });
    expect(receiver.forged).toEqual([]);
  });

  it('is sent only for events after its endpoint was first configured (R14.1)', async () => {
    const receiver = await startReceiver(newWebhookSecret());
    const { shopId } = await createShop(stack.store);
    const early = await createOperation(stack.store, shopId, { receipt: true });
    await completeOperation(stack.store, shopId);
    await changeShop(stack.store, shopId, configured(receiver.url, receiver.secret));
    await endOperation(stack.store, early.operationId);
    const [only] = await receiver.until(1);
    expect([only?.message.type, only?.message.sequence]).toEqual(['payment.completed', 2]);
    expect(await stack.messages(shopId)).toHaveLength(1);
  });
});

describe('a failure', () => {
  it('is any response but 2xx; each attempt is stored with its response (R14.6, R14.12)', async () => {
    const { receiver, shopId, untilStatus } = await createMerchant(stack);
    const trap = await startReceiver(receiver.secret);
    const long = `\u{1F600}${'x'.repeat(1019)}\u{1F600}${'y'.repeat(5_000)}`;
    receiver.answer = respondInOrder(
      status(302, { location: trap.url }),
      (_received, response) => response.writeHead(400, { 'content-type': 'text/plain' }).end(long),
      (_received, response) => response.socket?.destroy(),
    );
    await completeOperation(stack.store, shopId);
    const [message] = await untilStatus('exhausted');
    expect(message?.attempts.map((attempt) => [attempt.status, attempt.error])).toEqual([
      [302, 'redirects are not followed'],
      [400, 'the endpoint answered 400'],
      [null, 'the connection was closed before an answer'],
    ]);
    expect(message?.attempts[1]?.answer).toBe(`\u{1F600}${'x'.repeat(1019)}`);
    expect(trap.received).toEqual([]);
  });

  it('of the last attempt exhausts the message, and the next of the operation is sent (R14.8)', async () => {
    const { receiver, shopId, untilStatus } = await createMerchant(stack);
    receiver.answer = respondInOrder(status(500), status(500), status(500), status(200));
    await completeOperation(stack.store, shopId, { receipt: true });
    const [first] = await untilStatus('exhausted', 'delivered');
    expect(first).toMatchObject({ next_attempt_at: null });
    expect(first?.attempts).toHaveLength(3);

    expect(await redeliver(stack.db, first?.message_id ?? '')).toBe('accepted');
    const [again] = await untilStatus('delivered', 'delivered');
    expect(again?.attempts.map((attempt) => attempt.status)).toEqual([500, 500, 500, 200]);
    expect(receiver.received.at(-1)?.body).toBe(receiver.received[0]?.body);
    expect(await redeliver(stack.db, 'unknown')).toBe('not_found');
  });
});

describe('an endpoint', () => {
  it('that is disabled keeps its messages pending, gets them in order once enabled, and again on redelivery by filter (R14.11)', async () => {
    const receiver = await startReceiver(newWebhookSecret());
    const { shopId, secret } = await createShop(stack.store, { url: receiver.url, enabled: false });
    receiver.secret = secret;
    const operations = 5;
    for (let count = 0; count < operations; count += 1) {
      await completeOperation(stack.store, shopId, { receipt: true });
    }
    // A later webhook of another shop is delivered meanwhile.
    const other = await createMerchant(stack);
    await completeOperation(stack.store, other.shopId);
    await other.untilStatus('delivered');
    const messages = await stack.messages(shopId);
    expect(messages).toHaveLength(2 * operations);
    expect(messages).toMatchObject(messages.map(() => ({ status: 'pending', attempts: [] })));
    expect(receiver.received).toEqual([]);

    const sequencesOf = (received: readonly Received[]) =>
      [
        ...Map.groupBy(
          received,
          ({ message }) => message.data.operation?.['operation_id'],
        ).values(),
      ].map((each) => each.map(({ message }) => message.sequence).join());
    const inOrder = Array.from({ length: operations }, () => '1,2');
    await changeShop(stack.store, shopId, configured(receiver.url, secret).slice(0, 1));
    await receiver.until(2 * operations);
    expect(sequencesOf(receiver.received)).toEqual(inOrder);
    await until('all are delivered', async () =>
      (await stack.messages(shopId)).every(({ status: is }) => is === 'delivered'),
    );

    const again = await redeliverByFilter(stack.db, { shopId, status: 'delivered' });
    expect(again).toEqual({ count: 2 * operations, next_cursor: null });
    await receiver.until(4 * operations);
    expect(sequencesOf(receiver.received.slice(2 * operations))).toEqual(inOrder);
    // The same bytes under the same ids.
    const contents = receiver.received.map(({ id, body }) => `${id} ${body}`);
    expect(new Set(contents).size).toBe(2 * operations);
    expect(receiver.forged).toEqual([]);
  });
});

describe('the list of messages', () => {
  it('is paginated, the newest first, and by sequence for one operation', async () => {
    const { shopId, untilStatus } = await createMerchant(stack);
    for (let count = 0; count < 2; count += 1) {
      await completeOperation(stack.store, shopId, { receipt: true });
    }
    const all = (
      await untilStatus('delivered', 'delivered', 'delivered', 'delivered')
    ).toReversed();
    const pages: MessagePage[] = [];
    let cursor: string | undefined;
    do {
      const page = await listMessages(stack.db, { shopId, limit: 3, cursor });
      if ('refusal' in page) throw new Error(page.refusal.code);
      pages.push(page);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined && pages.length < 5);
    expect(pages.map(({ messages }) => messages.length)).toEqual([3, 1]);
    expect(pages.flatMap(({ messages }) => messages)).toEqual(all);

    const operationId = all[0]?.operation_id ?? '';
    const one = await listMessages(stack.db, { shopId, operationId, status: 'delivered' });
    expect(one).toMatchObject({ messages: [{ sequence: 1 }, { sequence: 2 }], next_cursor: null });
    expect(await listMessages(stack.db, { shopId, status: 'pending' })).toMatchObject({
      messages: [],
    });
    expect(await listMessages(stack.db, { shopId: 'another', operationId })).toMatchObject({
      messages: [],
    });
    expect(await listMessages(stack.db, { shopId, cursor: 'bm9uZQ' })).toEqual({
      refusal: { code: 'cursor_invalid' },
    });
  });
});
