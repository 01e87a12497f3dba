import { connect } from 'nats';
import { sql } from 'kysely';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { webhookStackForFile } from './testing/webhook-stack.ts';
import { eventually, testLimitMs } from '#infra/verify/harness/tests/eventually.ts';
import { natsConnectionOptions } from '#shared/platform/nats/connection-options.ts';
import { ensureBus, maxBacklog } from './bus.ts';
import type { WebhookService } from './service.ts';
import { completeOperation, createShop } from './testing/history.ts';
import { laggingLedgers } from './testing/lagging-ledgers.ts';
import { createMerchant } from './testing/merchant.ts';

const stack = webhookStackForFile();
let service: WebhookService | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

const ended = (shopId: string) => completeOperation(stack.store, shopId);
const recorded = async (shopId: string) => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from webhooks.message where shop_id = ${shopId}`.execute(
    stack.db,
  );
  return rows[0]?.count;
};
const untilRecorded = (shopId: string, count: number) =>
  eventually('they are recorded', async () => (await recorded(shopId)) === count);

describe('a shop whose ledger entries lag', () => {
  it('does not wait longer for a pointer that was redelivered often, as in an outage', async () => {
    const { shopId } = await createShop(stack.store, { url: 'http://127.0.0.1:9/' });
    const nats = await connect(natsConnectionOptions(inject('natsUrl')));
    await ensureBus(await nats.jetstreamManager(), stack.names);
    const consumer = await nats.jetstream().consumers.get(stack.names.stream, stack.names.consumer);
    service = await stack.start({ only: ['relay'] });
    await ended(shopId);
    for (let delivered = 0; delivered < 10; delivered += 1)
      (await consumer.next({ expires: 5_000 }))?.nak();
    await nats.close();
    await service.stop();

    const { ledgers, lagging } = laggingLedgers(stack.store, shopId);
    service = await stack.start({ ledgers, only: ['ingest'], longestRetryMs: 2 * testLimitMs });
    await eventually('it is tried', () => lagging.posts > 0);
    lagging.lags = false;
    // By the number of its deliveries, it would wait for longer than the test may take.
    await untilRecorded(shopId, 1);
    expect(await recorded(shopId)).toBe(1);
  });

  it('does not delay the reconciliation of others, and is retried in the next pass (R12.12)', async () => {
    const behind = await createShop(stack.store, { url: 'http://127.0.0.1:9/' });
    const { ledgers, lagging } = laggingLedgers(stack.store, behind.shopId);
    // More than are repaired at once.
    const waiting = 20;
    for (let made = 0; made < waiting; made += 1) await ended(behind.shopId);
    const { receiver, shopId } = await createMerchant(stack);
    await ended(shopId);
    const reconcile = { everyMs: 50, minAgeMs: 0, patienceMs: 0 };
    service = await stack.start({ ledgers, only: ['dispatch', 'reconcile'], reconcile });
    await receiver.until(1);
    await ended(shopId);
    await receiver.until(2);
    expect(await recorded(behind.shopId)).toBe(0);

    lagging.lags = false;
    await untilRecorded(behind.shopId, waiting);
  });

  it('does not delay the webhooks of others, however many of its own wait (R12.12)', async () => {
    const behind = await createShop(stack.store, { url: 'http://127.0.0.1:9/' });
    const { ledgers } = laggingLedgers(stack.store, behind.shopId);
    service = await stack.start({ ledgers, only: ['relay', 'ingest', 'dispatch'] });
    // More than are recorded at once.
    const waiting = 250;
    for (let made = 0; made < waiting; made += 50)
      await Promise.all(Array.from({ length: 50 }, () => ended(behind.shopId)));

    const { receiver, shopId } = await createMerchant(stack);
    await ended(shopId);
    await receiver.until(1);
    expect(receiver.received.map(({ message }) => message.type)).toEqual(['payment.completed']);
    expect(await recorded(behind.shopId)).toBe(0);
  });
});

it('a consumer of an earlier version gets the limits of this one', async () => {
  const nats = await connect(natsConnectionOptions(inject('natsUrl')));
  const manager = await nats.jetstreamManager();
  const names = { ...stack.names, consumer: 'earlier' };
  const { consumer: fresh } = await ensureBus(manager, names);
  // With NATS's default limit, the pointers of one lagging shop would block all others.
  expect(fresh.config.max_ack_pending).toBe(maxBacklog);
  await manager.consumers.update(names.stream, names.consumer, {
    ...fresh.config,
    max_ack_pending: 7,
  });
  const { consumer } = await ensureBus(manager, names);
  expect(consumer.config.max_ack_pending).toBe(fresh.config.max_ack_pending);
  await nats.close();
});
