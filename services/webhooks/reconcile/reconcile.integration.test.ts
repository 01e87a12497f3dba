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
import { laggingLedgers } from '../testing/lagging-ledgers.ts';
import { createMerchant } from '../testing/merchant.ts';
import { startReceiver } from '../testing/receiver.ts';
import { until } from '../testing/until.ts';
import { loadPublished } from '../relay/checkpoint.ts';
import { loadReconciled } from './checkpoint.ts';

const stack = webhookStackForFile();

const atOnce = { everyMs: 50, minAgeMs: 0, patienceMs: 0 };
type Metrics = ReturnType<typeof createMetrics>;

async function figure(metrics: Metrics, name: string): Promise<number | undefined> {
  const metric = await metrics.getSingleMetric(`gateway_webhook_${name}`)?.get();
  return metric?.values[0]?.value;
}

/** Waits for the count of repairs, because the receiver may have the message before. */
async function untilRepaired(metrics: Metrics, count: number): Promise<void> {
  const repaired = async () => (await figure(metrics, 'repaired_total')) ?? 0;
  await until('they are counted', async () => (await repaired()) >= count);
  expect(await repaired()).toBe(count);
}

/** Waits until nothing up to the newest event of an operation is missing or waited for. */
async function untilReconciled({ operationId }: { operationId: string }): Promise<void> {
  const [end] = await stack.store.read(`operation-${operationId}`, { direction: 'backwards' });
  const isReconciled = async () =>
    ((await loadReconciled(stack.db))?.position ?? -1n) >= (end?.position ?? 0n);
  await until('it is reconciled', isReconciled);
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
    await receiver.until(5);
    await again.stop();
  });

  it('counts as lost no webhook that the relay has not published: without NATS it records them (R14.21)', async () => {
    const { receiver, shopId } = await createMerchant(stack);
    const metrics = createMetrics('webhooks');
    const only = ['dispatch', 'reconcile'] as const;
    const service = await stack.start({ only, reconcile: atOnce, metrics });
    const ended = await completeOperation(stack.store, shopId);
    await receiver.until(1);
    await untilReconciled(ended);
    expect(await figure(metrics, 'repaired_total')).toBe(0);
    await service.stop();
  });

  it('counts as lost no webhook that the stream has not delivered to the ingest (R14.21)', async () => {
    const { receiver, shopId } = await createMerchant(stack);
    const relay = await stack.start({ only: ['relay'] });
    const ended = await completeOperation(stack.store, shopId);
    const [end] = await stack.store.read(`operation-${ended.operationId}`, {
      direction: 'backwards',
    });
    const published = async () => ((await loadPublished(stack.db)) ?? -1n) >= (end?.position ?? 0n);
    await until('it is published', published);
    await relay.stop();
    const metrics = createMetrics('webhooks');
    const only = ['dispatch', 'reconcile'] as const;
    const service = await stack.start({ only, reconcile: atOnce, metrics });
    await receiver.until(1);
    await untilReconciled(ended);
    expect(await figure(metrics, 'repaired_total')).toBe(0);
    await service.stop();
  });

  it('leaves to the ingest what had to wait for its ledger entry, and counts none of it as lost (R14.21)', async () => {
    const { receiver, shopId } = await createMerchant(stack);
    const { ledgers, lagging } = laggingLedgers(stack.store, shopId);
    const metrics = createMetrics('webhooks');
    const service = await stack.start({
      ledgers,
      metrics,
      reconcile: { everyMs: 50, minAgeMs: 0, patienceMs: 60_000 },
    });
    const ended = await completeOperation(stack.store, shopId);
    // The ingest pauses for seconds now, while the reconciliation tries again 20 times a second.
    await until('both have tried to post its entry', () => lagging.posts > 10);
    lagging.lags = false;
    await receiver.until(1);
    await untilReconciled(ended);
    expect(await figure(metrics, 'repaired_total')).toBe(0);
    await service.stop();
  });

  it('says how far behind it is also while it stands still', async () => {
    const metrics = createMetrics('webhooks');
    const lag = () => figure(metrics, 'reconciliation_lag_seconds');
    const service = await stack.start({ reconcile: atOnce, metrics });
    await until('it has checked the log', async () => ((await lag()) ?? NaN) >= 0);
    await service.stop();
    const before = (await lag()) ?? NaN;
    await until('its lag grows', async () => ((await lag()) ?? NaN) > before);
    expect(await lag()).toBeGreaterThan(before);
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
