import { expect, test } from 'vitest';
import { guardCheckpoints } from '#shared/application/log/guard-checkpoints.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { useOwnEventStore } from '#projections/testing/stores.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { toNewEvent } from '#shared/application/commands/new-events.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import { adjust, adjustmentStream } from '#shared/application/ledger/adjust.ts';
import { sweepUnfinished } from '../sweeper.ts';
import { unpostedAdjustments } from './finish-pending.ts';

// A separate log, without other unfinished adjustments.
const own = useOwnEventStore();

const request = (shopId: string) => {
  const about = { shop_id: shopId, adjustment_id: 'a', reason: 'top-up' };
  return { ...about, currency: 'RUB', amount: '5.00' };
};
const entries = (shopId: string) => own.store.read(ledgerStream(shopId, 'RUB'));

test('posts an adjustment that was requested but not posted, with its operator', async () => {
  const { store } = own;
  const ledgers = createLedgers({ store });
  const [done, unposted] = [newId(), newId()];
  await adjust({ store, ledgers }, request(done), { actor: 'operator:oleg', correlationId: 'c-0' });
  const stream = adjustmentStream(unposted, 'a');
  const origin = { actor: 'operator:alice', tokenId: 't-1', correlationId: 'c-1' };
  const event = toNewEvent({ type: 'AdjustmentRequested', data: request(unposted) }, origin);
  await store.append({ stream, expectedRevision: -1, events: [event] });
  const stopped = new AbortController();
  const { signal } = stopped;
  const tasks = [unpostedAdjustments({ store, ledgers, logger, everyMs: 20 })];
  const sweep = sweepUnfinished({
    store,
    logger,
    guard: guardCheckpoints({ logger }),
    signal,
    tasks,
  });
  await expect.poll(() => entries(unposted)).toHaveLength(1);
  const posted = { type: 'AdjustmentPosted', data: { revision: 0 } };
  const finished = [{ type: 'AdjustmentRequested' }, posted];
  await expect.poll(() => store.read(stream)).toMatchObject(finished);
  stopped.abort();
  await sweep;
  await ledgers.stop();
  expect((await entries(unposted))[0]?.metadata).toMatchObject({
    actor: 'operator:alice',
    token_id: 't-1',
    correlation_id: 'c-1',
    causation_id: event.id,
  });
  expect(await entries(done)).toHaveLength(1);
  expect(await store.read(adjustmentStream(done, 'a'))).toHaveLength(2);
});

test('posts what another operator repeats in the name of the one who requested it (R12.14)', async () => {
  const { store } = own;
  const ledgers = createLedgers({ store });
  const shopId = newId();
  const alice = { actor: 'operator:alice', tokenId: 't-1', correlationId: 'c-1' };
  const bob = { actor: 'operator:bob', tokenId: 't-2', correlationId: 'c-2' };
  const stream = adjustmentStream(shopId, 'a');
  const event = toNewEvent({ type: 'AdjustmentRequested', data: request(shopId) }, alice);
  await store.append({ stream, expectedRevision: -1, events: [event] });
  await adjust({ store, ledgers }, request(shopId), bob);
  await ledgers.stop();
  const [entry] = await entries(shopId);
  const [, note] = await store.read(stream);
  for (const { metadata } of [entry, note].filter((each) => each !== undefined))
    expect(metadata).toMatchObject({ actor: 'operator:alice', token_id: 't-1' });
  expect(note?.type).toBe('AdjustmentPosted');
});
