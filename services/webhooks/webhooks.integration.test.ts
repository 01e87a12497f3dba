import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '#infra/process/wait-until.ts';
import { changeShop, configured, createOperation, createShop, settle } from './testing/history.ts';
import { inTurn, startReceiver, status, type Receiver } from './testing/receiver.ts';
import { createStack, type TestStack } from './testing/stack.ts';
import { newWebhookSecret } from '#shared/ids.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await createStack();
  await stack.start();
});
afterAll(() => stack.close());

/** A shop whose endpoint is a receiver of its own. */
async function shopWithReceiver() {
  const receiver = await startReceiver(newWebhookSecret());
  const { shopId, secret } = await createShop(stack.store, { url: receiver.url });
  receiver.secret = secret;
  return { receiver, shopId };
}
const untilStatus = (shopId: string, ...statuses: string[]) =>
  waitUntil(
    `messages are ${statuses.join(', ')}`,
    async () => {
      const messages = await stack.messages(shopId);
      return (
        messages.length === statuses.length && messages.every(({ status: is }, at) => is === statuses[at])
      );
    },
    { timeoutMs: 10_000 },
  );
const sequences = (receiver: Receiver) => receiver.received.map(({ parsed }) => parsed.sequence);

describe('webhooks', () => {
  it('tell of the entry into awaiting_confirmation and of the end, signed and in order', async () => {
    const { receiver, shopId } = await shopWithReceiver();
    const { operationId, merchantOperationId } = await createOperation(stack.store, shopId, {
      receipt: true,
    });
    await receiver.until(1);
    const eventId = await settle(stack.store, operationId);
    const [first, second] = await receiver.until(2);
    expect(receiver.forged).toEqual([]);
    expect(first?.parsed.type).toBe('payment.awaiting_confirmation');
    expect(second?.headers['content-type']).toBe('application/json');
    expect(second?.path).toBe('/hooks?shop=1');
    expect(second?.id).toBe(eventId);
    expect(second?.parsed).toEqual({
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
        },
      },
    });
    await untilStatus(shopId, 'delivered', 'delivered');
  });

  it('show the operation as it was at the event, and no destination', async () => {
    const { receiver, shopId } = await shopWithReceiver();
    const { operationId } = await createOperation(stack.store, shopId, { type: 'payout' });
    await settle(stack.store, operationId, 'declined');
    const [only] = await receiver.until(1);
    expect(only?.parsed.type).toBe('payout.declined');
    expect(only?.parsed.data.operation).not.toHaveProperty('number');
    expect(only?.parsed.data.operation).not.toHaveProperty('name');
    expect(only?.body).not.toMatch(/4276|5678|Ivan/);
  });

  it('come again byte for byte after failures, and later ones of the operation wait', async () => {
    const { receiver, shopId } = await shopWithReceiver();
    receiver.answer = inTurn(status(500), status(503), status(200));
    const { operationId } = await createOperation(stack.store, shopId, { receipt: true });
    await settle(stack.store, operationId);
    const received = await receiver.until(4);
    expect(sequences(receiver)).toEqual([1, 1, 1, 2]);
    expect(new Set(received.slice(0, 3).map(({ body }) => body)).size).toBe(1);
    expect(new Set(received.slice(0, 3).map(({ id }) => id)).size).toBe(1);
    await untilStatus(shopId, 'delivered', 'delivered');
    const [second, first] = await stack.messages(shopId);
    expect(second).toMatchObject({ sequence: 2, operation_id: operationId, next_attempt_at: null });
    expect(first?.attempts.map((attempt) => attempt.status)).toEqual([500, 503, 200]);
    expect(first?.attempts[0]).toMatchObject({ error: 'the endpoint answered 500', answer: '' });
  });
});

it('are owed from the moment on at which a webhook is configured', async () => {
  const receiver = await startReceiver(newWebhookSecret());
  const { shopId } = await createShop(stack.store);
  const early = await createOperation(stack.store, shopId, { receipt: true });
  const gone = await createOperation(stack.store, shopId);
  await settle(stack.store, gone.operationId);
  await changeShop(stack.store, shopId, configured(receiver.url, receiver.secret));
  await settle(stack.store, early.operationId);
  await receiver.until(1);
  await untilStatus(shopId, 'delivered');
  expect(receiver.received.map(({ parsed }) => [parsed.type, parsed.sequence])).toEqual([
    ['payment.completed', 2],
  ]);
});
