import { expect, test } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { useOwnEventStore } from '#projections/testing/stores.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import { adjust, adjustmentStream } from './adjust.ts';
import { sweepUnfinished } from '../sweeper.ts';
import { unpostedAdjustments } from './finish-pending.ts';

// A separate log, without other unfinished adjustments.
const own = useOwnEventStore();

const request = (shopId: string) => ({
  shop_id: shopId,
  adjustment_id: 'a',
  currency: 'RUB',
  amount: '5.00',
  reason: 'top-up',
});
const entries = (shopId: string) => own.store.read(ledgerStream(shopId, 'RUB'));

test('posts an adjustment that was requested but not posted, with its operator', async () => {
  const { store } = own;
  const ledgers = createLedgers({ store });
  const [done, unposted] = [newId(), newId()];
  await adjust({ store, ledgers }, request(done), { actor: 'operator:oleg', correlationId: 'c-0' });
  const id = newId();
  await store.append({
    stream: adjustmentStream(unposted, 'a'),
    expectedRevision: -1,
    events: [
      {
        id,
        type: 'AdjustmentRequested',
        data: request(unposted),
        metadata: {
          correlation_id: 'c-1',
          actor: 'operator:alice',
          token_id: 't-1',
          schema_version: 1,
        },
      },
    ],
  });
  const stopped = new AbortController();
  const sweep = sweepUnfinished({
    store,
    logger,
    signal: stopped.signal,
    tasks: [unpostedAdjustments({ store, ledgers, logger, everyMs: 20 })],
  });
  await expect.poll(() => entries(unposted)).toHaveLength(1);
  await expect
    .poll(() => store.read(adjustmentStream(unposted, 'a')))
    .toMatchObject([
      { type: 'AdjustmentRequested' },
      { type: 'AdjustmentPosted', data: { revision: 0 } },
    ]);
  stopped.abort();
  await sweep;
  await ledgers.stop();
  expect((await entries(unposted))[0]?.metadata).toMatchObject({
    actor: 'operator:alice',
    token_id: 't-1',
    correlation_id: 'c-1',
    causation_id: id,
  });
  expect(await entries(done)).toHaveLength(1);
  expect(await store.read(adjustmentStream(done, 'a'))).toHaveLength(2);
});
