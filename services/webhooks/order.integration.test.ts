import { beforeAll, describe, expect, it } from 'vitest';
import { webhookStackForFile } from './testing/webhook-stack.ts';
import { redeliver } from '#shared/application/webhooks/messages/redeliver.ts';
import {
  completeOperation,
  createOperation,
  endOperation,
  returnMoney,
} from './testing/history.ts';
import { createMerchant } from './testing/merchant.ts';
import { respondInOrder, status } from './testing/receiver.ts';
import { until } from './testing/until.ts';

// No test lasts until the second attempt of this schedule, and some responses never come. So a
// message that arrives was sent immediately, or did not wait for these.
const scheduleMs = [0, 60_000, 60_000];

const stack = webhookStackForFile();
beforeAll(async () => {
  // Two of everything, as in a deployment.
  const slow = { scheduleMs, attemptDeadlineMs: 60_000 };
  await Promise.all([stack.start(slow), stack.start(slow)]);
});

describe('within an operation', () => {
  it('a newer message makes its waiting predecessor due immediately, and is sent after it (R14.9)', async () => {
    const { receiver, shopId, messages, untilStatus } = await createMerchant(stack);
    receiver.answer = respondInOrder(status(500), status(204));
    const { operationId } = await createOperation(stack.store, shopId, { receipt: true });
    await until(
      'the first attempt failed',
      async () => (await messages())[0]?.attempts.length === 1,
    );
    await endOperation(stack.store, operationId);
    await untilStatus('delivered', 'delivered');
    expect(receiver.received.map(({ message }) => message.sequence)).toEqual([1, 1, 2]);
  });

  it('a newer message makes one that is in flight due immediately if that fails', async () => {
    const { receiver, shopId, untilStatus } = await createMerchant(stack);
    const failed = Promise.withResolvers<void>();
    receiver.answer = respondInOrder(
      (_received, response) => void failed.promise.then(() => response.writeHead(500).end()),
      status(204),
    );
    const { operationId } = await createOperation(stack.store, shopId, { receipt: true });
    await receiver.until(1);
    await endOperation(stack.store, operationId);
    await untilStatus('pending', 'pending');
    failed.resolve();
    await untilStatus('delivered', 'delivered');
    expect(receiver.received.map(({ message }) => message.sequence)).toEqual([1, 1, 2]);
  });

  it('a newer message makes no predecessor due before its Retry-After (R14.7)', async () => {
    const { receiver, shopId, messages, untilStatus } = await createMerchant(stack);
    receiver.answer = respondInOrder(status(503, { 'retry-after': '1' }), status(204));
    const { operationId } = await createOperation(stack.store, shopId, { receipt: true });
    await until(
      'the first attempt failed',
      async () => (await messages())[0]?.attempts.length === 1,
    );
    await endOperation(stack.store, operationId);
    await untilStatus('delivered', 'delivered');
    const [first, second] = receiver.received;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(950);
    expect(receiver.received.map(({ message }) => message.sequence)).toEqual([1, 1, 2]);
  });

  it('a redelivered message is sent before the waiting ones', async () => {
    const { receiver, shopId, messages, untilStatus } = await createMerchant(stack);
    const { operationId } = await createOperation(stack.store, shopId, { receipt: true });
    await untilStatus('delivered');
    receiver.answer = status(500);
    await endOperation(stack.store, operationId);
    await until('the second has failed', async () => (await messages())[1]?.attempts.length === 1);
    receiver.answer = status(204);
    const [first, second] = await messages();
    await redeliver(stack.db, first?.message_id ?? '');
    // It waited for its retry, then for the first message: now it is due.
    await untilStatus('delivered', 'delivered');
    expect(receiver.received.map(({ message }) => message.sequence)).toEqual([1, 2, 1, 2]);
    expect(second?.attempts).toHaveLength(1);
  });

  it('a return after the terminal status is sent after it, also while that is being sent (R14.20)', async () => {
    const { receiver, shopId, untilStatus } = await createMerchant(stack);
    const answered = Promise.withResolvers<void>();
    receiver.answer = respondInOrder(
      (_received, response) => void answered.promise.then(() => response.writeHead(204).end()),
      status(204),
    );
    const { operationId } = await completeOperation(stack.store, shopId);
    await receiver.until(1);
    await returnMoney(stack.store, operationId, ['30.00', '20.00']);
    await untilStatus('pending', 'pending', 'pending');
    answered.resolve();
    await untilStatus('delivered', 'delivered', 'delivered');
    const [end, ...back] = receiver.received.map(({ message }) => message);
    expect(end).toMatchObject({ type: 'payment.completed', sequence: 1 });
    const at = '2026-02-01T12:00:00.000Z';
    const of = (sequence: number, amount: string, total: string) => ({
      type: 'payment.charged_back',
      sequence,
      data: {
        operation: end?.data.operation,
        returned: { amount, currency: 'RUB', total, at },
      },
    });
    expect(back).toMatchObject([of(2, '30.00', '30.00'), of(3, '20.00', '50.00')]);
    // A correction of a return sends no message, so the next return has the next sequence.
    await returnMoney(stack.store, operationId, ['25.00', '20.00'], 2);
    await returnMoney(stack.store, operationId, ['25.00', '20.00', '10.00'], 3);
    await untilStatus('delivered', 'delivered', 'delivered', 'delivered');
    expect(receiver.received.at(-1)?.message).toMatchObject(of(4, '10.00', '55.00'));
  });

  it('messages of an operation arrive in order and once, with any number of dispatchers (R14.3, R14.9)', async () => {
    const { receiver, shopId } = await createMerchant(stack);
    const count = 60;
    await Promise.all(
      Array.from({ length: count }, async () => {
        await completeOperation(stack.store, shopId, { receipt: true });
      }),
    );
    const received = await receiver.until(count * 2);
    const seen = new Map<unknown, number[]>();
    for (const { message } of received) {
      const id = message.data.operation?.['operation_id'];
      seen.set(id, [...(seen.get(id) ?? []), message.sequence]);
    }
    expect(seen.size).toBe(count);
    expect([...seen.values()].every((sequences) => sequences.join() === '1,2')).toBe(true);
    expect(receiver.forged).toEqual([]);
  });
});
