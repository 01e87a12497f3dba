import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '#infra/process/wait-until.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { redeliverByFilter } from '#shared/application/webhooks/messages/redeliver-by-filter.ts';
import type { WebhookService } from './service.ts';
import {
  changeShop,
  configured,
  createOperation,
  createShop,
  endOperation,
} from './testing/history.ts';
import { createMerchant } from './testing/merchant.ts';
import { startReceiver, type Received } from './testing/receiver.ts';
import { createStack, type TestStack } from './testing/webhook-stack.ts';

let stack: TestStack;
let service: WebhookService;
beforeAll(async () => {
  stack = await createStack();
  service = await stack.start();
});
afterAll(() => stack.close());

const operations = 20;

/** The sequences in which an operation's webhooks came, by operation. */
function inOrder(received: readonly Received[]): string[] {
  const byOperation = Map.groupBy(
    received,
    ({ parsed }) => parsed.data.operation?.['operation_id'],
  );
  return [...byOperation.values()].map((each) => each.map(({ parsed }) => parsed.sequence).join());
}
const all = (sequences: string) => Array.from({ length: operations }, () => sequences);

describe('an endpoint that an operator has disabled', () => {
  it('gets all pending messages once and in order when enabled, and again those of a filter', async () => {
    const receiver = await startReceiver(newWebhookSecret());
    const { shopId, secret } = await createShop(stack.store, { url: receiver.url, enabled: false });
    receiver.secret = secret;
    await Promise.all(
      Array.from({ length: operations }, async () => {
        const { operationId } = await createOperation(stack.store, shopId, { receipt: true });
        await endOperation(stack.store, operationId);
      }),
    );
    const held = async () => (await stack.messages(shopId)).length === 2 * operations;
    await waitUntil('all are recorded', held, { timeoutMs: 20_000 });
    // The dispatcher that had claimed them stops, and another takes over.
    await service.stop();
    service = await stack.start();
    expect((await stack.messages(shopId)).every(({ status }) => status === 'pending')).toBe(true);
    expect(receiver.received).toEqual([]);

    await changeShop(stack.store, shopId, configured(receiver.url, secret).slice(0, 1));
    const delivered = async () =>
      (await stack.messages(shopId)).every(({ status }) => status === 'delivered');
    await receiver.until(2 * operations, 20_000);
    await waitUntil('all are delivered', delivered, { timeoutMs: 20_000 });
    expect(inOrder(receiver.received)).toEqual(all('1,2'));

    const before = receiver.received.length;
    const again = await redeliverByFilter(stack.db, { shopId, status: 'delivered' });
    expect(again).toEqual({ count: 2 * operations, next_cursor: null });
    await receiver.until(before + 2 * operations, 20_000);
    await waitUntil('all are delivered again', delivered, { timeoutMs: 20_000 });
    expect(inOrder(receiver.received.slice(before))).toEqual(all('1,2'));
    // The same bytes under the same ids.
    expect(new Set(receiver.received.map(({ id, body }) => `${id} ${body}`)).size).toBe(
      2 * operations,
    );
    expect(receiver.forged).toEqual([]);
  });
});

describe('a secret that was rotated', () => {
  it('is not used after its overlap (R14.4)', async () => {
    const { receiver, shopId } = await createMerchant(stack);
    const [before, next] = [receiver.secret, newWebhookSecret()];
    const rotate = (validUntil: Date) =>
      changeShop(stack.store, shopId, [
        {
          type: 'WebhookSecretIssued',
          data: { secret: next, previous_valid_until: validUntil.toISOString() },
        },
      ]);
    await rotate(new Date(Date.now() - 1));
    await ping(stack.db, { shopId });
    await waitUntil('it came', () => receiver.forged.length > 0, { timeoutMs: 20_000 });
    expect(receiver.forged[0]).toBe('wrong_secret');
    receiver.secret = next;
    await ping(stack.db, { shopId });
    const [first] = await receiver.until(1);
    expect(String(first?.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(before).not.toBe(next);
  });
});
