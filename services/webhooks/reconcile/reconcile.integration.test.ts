import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { webhookStackForFile } from '../testing/webhook-stack.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';
import {
  changeShop,
  completeOperation,
  createOperation,
  createShop,
  endOperation,
} from '../testing/history.ts';
import { startReceiver } from '../testing/receiver.ts';
import { until } from '../testing/until.ts';
import { loadReconciled } from './checkpoint.ts';

const stack = webhookStackForFile();

const atOnce = { everyMs: 50, minAgeMs: 0 };

/** Waits for the count of repairs, because the receiver may have the message before. */
async function untilRepaired(
  metrics: ReturnType<typeof createMetrics>,
  count: number,
): Promise<void> {
  const repaired = async () => {
    const metric = await metrics.getSingleMetric('gateway_webhook_repaired_total')?.get();
    return metric?.values[0]?.value ?? 0;
  };
  await until('they are counted', async () => (await repaired()) >= count);
  expect(await repaired()).toBe(count);
}

describe('the reconciliation', () => {
  it('records a webhook that is missing, with the same id and body, and counts it (R14.13)', async () => {
    const receiver = await startReceiver(newWebhookSecret());
    const { shopId, secret } = await createShop(stack.store, { url: receiver.url });
    receiver.secret = secret;
    const silent = await createShop(stack.store, {});
    const first = await stack.start({ only: ['relay', 'ingest', 'dispatch'] });
    await completeOperation(stack.store, shopId, { receipt: true });
    const lost = await createOperation(stack.store, shopId, { receipt: true });
    const lastId = await endOperation(stack.store, lost.operationId);
    // A shop without a webhook requires no messages, so none is missing.
    await completeOperation(stack.store, silent.shopId);
    await receiver.until(4);
    await until('all are delivered', async () =>
      (await stack.messages(shopId)).every(({ status }) => status === 'delivered'),
    );
    await first.stop();

    await sql`delete from webhooks.attempt where message_id = ${lastId}`.execute(stack.db);
    await sql`delete from webhooks.message where message_id = ${lastId}`.execute(stack.db);

    const metrics = createMetrics('webhooks');
    const again = await stack.start({
      only: ['dispatch', 'reconcile'],
      reconcile: atOnce,
      metrics,
    });
    await receiver.until(5);
    await untilRepaired(metrics, 1);
    const [original, repeated] = receiver.received.filter(({ id }) => id === lastId);
    expect(repeated?.body).toBe(original?.body);
    expect(repeated?.message.sequence).toBe(2);

    // Events that were reconciled are not checked again; new ones are.
    await completeOperation(stack.store, shopId);
    await receiver.until(6);
    await untilRepaired(metrics, 2);
    await again.stop();
  });

  it('continues with other shops if an event cannot be read, which a restart reads again (R14.13)', async () => {
    const receiver = await startReceiver(newWebhookSecret());
    const { shopId, secret } = await createShop(stack.store, { url: receiver.url });
    receiver.secret = secret;
    const newer = await createShop(stack.store, {});
    const unknown = { type: 'ShopMerged', data: {} } as unknown as ShopEvent;
    await changeShop(stack.store, newer.shopId, [unknown]);
    const service = await stack.start({ only: ['dispatch', 'reconcile'], reconcile: atOnce });
    await completeOperation(stack.store, shopId);
    await receiver.until(1);
    expect(receiver.received[0]?.message.type).toBe('payment.completed');
    // The first pass is over when the next one has found another webhook.
    await completeOperation(stack.store, shopId);
    await receiver.until(2);
    const [unread] = await stack.store.read(shopStream(newer.shopId), { direction: 'backwards' });
    const reconciled = await loadReconciled(stack.db);
    expect(reconciled?.position).toBeLessThan(unread?.position ?? 0n);
    await service.stop();
  });
});
