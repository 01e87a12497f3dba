import { beforeAll, describe, expect, it } from 'vitest';
import { webhookStackForFile } from './testing/webhook-stack.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { redeliver } from '#shared/application/webhooks/messages/redeliver.ts';
import { changeShop, completeOperation } from './testing/history.ts';
import { createMerchant, createMerchantWithTwo } from './testing/merchant.ts';
import { status } from './testing/receiver.ts';
import { until } from './testing/until.ts';

// No test lasts until the second attempt.
const scheduleMs = [0, 60_000, 60_000];

const stack = webhookStackForFile();
beforeAll(async () => {
  await stack.start({ scheduleMs, only: ['relay', 'ingest', 'dispatch'] });
});

const completed = (shopId: string, receipt = false) =>
  completeOperation(stack.store, shopId, { receipt });

describe('several endpoints of a shop', () => {
  it('do not wait for one that fails, and each gets an operation’s messages in order (R14.17)', async () => {
    const { shopId, receiver, second, of } = await createMerchantWithTwo(stack);
    receiver.answer = status(500);
    const operations = 5;
    for (let count = 0; count < operations; count += 1) await completed(shopId, true);
    const received = await second.receiver.until(2 * operations);
    const sequences = Map.groupBy(
      received,
      ({ message }) => message.data.operation?.['operation_id'],
    );
    expect(
      [...sequences.values()].map((each) => each.map(({ message }) => message.sequence)),
    ).toEqual(Array.from({ length: operations }, () => [1, 2]));
    expect(receiver.received.every(({ message }) => message.sequence === 1)).toBe(true);
    const first = await of(shopId);
    expect(first.every((message) => message.status === 'pending')).toBe(true);
  });

  it('get the types that they subscribe to, from when they were added (R14.17)', async () => {
    const merchant = await createMerchant(stack);
    await completed(merchant.shopId);
    await merchant.untilStatus('delivered');
    const { shopId, second, of } = await createMerchantWithTwo(stack, {
      types: ['payment.completed'],
    });
    await completeOperation(stack.store, shopId, { receipt: true });
    const [only] = await second.receiver.until(1);
    expect(only?.message).toMatchObject({ type: 'payment.completed', sequence: 2 });
    await until('both are recorded', async () => (await of(shopId)).length === 2);
    expect(await of(second.endpointId)).toHaveLength(1);
  });

  it('are pinged and redelivered to separately', async () => {
    const { shopId, receiver, second, of } = await createMerchantWithTwo(stack);
    await ping(stack.db, { shopId, endpointId: second.endpointId });
    await second.receiver.until(1);
    await completed(shopId);
    await receiver.until(1);
    await second.receiver.until(2);
    const done = async () =>
      (await of(second.endpointId)).every((each) => each.status === 'delivered');
    await until('it is written', done);
    const message = (await of(second.endpointId)).at(-1);
    await redeliver(stack.db, message?.message_id ?? '', second.endpointId);
    await second.receiver.until(3);
    expect(receiver.received).toHaveLength(1);
  });

  it('of which one is deleted: its pending messages end unsent, the others continue (R14.18)', async () => {
    const { shopId, receiver, second, of } = await createMerchantWithTwo(stack);
    second.receiver.answer = status(500);
    await completed(shopId, true);
    await second.receiver.until(1);
    await changeShop(stack.store, shopId, [
      { type: 'WebhookEndpointDeleted', data: { endpoint_id: second.endpointId } },
    ]);
    const cancelled = async () => {
      const messages = await of(second.endpointId);
      return messages.length === 2 && messages.every((each) => each.status === 'cancelled');
    };
    await until('they are cancelled', cancelled);
    const attempts = second.receiver.received.length;
    await redeliver(
      stack.db,
      (await of(second.endpointId))[0]?.message_id ?? '',
      second.endpointId,
    );
    await until('it is cancelled again', cancelled);
    await completed(shopId);
    await receiver.until(3);
    expect(second.receiver.received).toHaveLength(attempts);
    expect(await of(second.endpointId)).toHaveLength(2);
  });
});

it('the reconciliation records a message that one of several endpoints lacks (R14.17)', async () => {
  const { shopId, second, of } = await createMerchantWithTwo(stack);
  await completed(shopId);
  await second.receiver.until(1);
  await until('it is recorded', async () => (await of(second.endpointId)).length === 1);
  const [lost] = await of(second.endpointId);
  await stack.db
    .deleteFrom('webhooks.message')
    .where('message_id', '=', lost?.delivery_id ?? '')
    .execute();
  await stack.start({
    only: ['reconcile'],
    reconcile: { everyMs: 200, minAgeMs: 0, patienceMs: 0 },
  });
  await second.receiver.until(2);
  expect((await of(second.endpointId))[0]?.delivery_id).toBe(lost?.delivery_id);
});
