import type { Context, Hono } from 'hono';
import {
  isChecked,
  isDone,
  noRuns,
  statusOf,
  type CheckedBatch,
  type PayoutRuns,
} from '#shared/domain/payout-batch/decide.ts';
import { readBatch } from '#shared/application/payout-batches/batches.ts';
import { createPayoutFiles } from '#shared/application/payout-batches/payout-files.ts';
import { mostFileBytes } from '#shared/application/payout-batches/read-file.ts';
import { resultFile } from '#shared/application/payout-batches/result-file.ts';
import { needsSecondMember } from '#shared/domain/shop/state.ts';
import { pathId } from '#shared/application/directory/command-shop.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { readBytes } from '#shared/platform/http/body.ts';
import { requireContentType } from '#shared/platform/http/content-type.ts';
import { createIncomingBodies } from '#shared/platform/http/incoming-bodies.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { createSlots } from '#shared/platform/http/slots.ts';
import type { RateLimiter } from '#shared/platform/http/token-buckets.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { Dependencies } from '../../dependencies.ts';
import { sentByOf } from '../../limits/bodies.ts';
import { originOf } from '../../origin.ts';
import type { BatchWorker } from '../../payout-batches/worker.ts';
import { forScope } from '../../scopes.ts';

const path = '/v1/payout-batches';
/** Bytes of uploaded files in memory at a time; their parsed rows take several times as much. */
const inMemory = {
  total: 6 * mostFileBytes,
  perOwner: { sender: 2 * mostFileBytes, shop: 3 * mostFileBytes, address: 4 * mostFileBytes },
};
const slowFiles = {
  capacity: { total: 64, perOwner: { sender: 8, shop: 16, address: 16 } },
  withinMs: 30_000,
};

type Options = Pick<Dependencies, 'store' | 'personal' | 'receipts' | 'runs'> & {
  trustedProxies: number;
  limiter: RateLimiter;
  /** None in tests: another instance creates the payouts. */
  batchWorker?: Pick<BatchWorker, 'begin'> | undefined;
};

/** Payouts in bulk (R24.1). */
export function registerPayoutBatches(
  app: Hono<MerchantEnv>,
  { trustedProxies, batchWorker, limiter, ...dependencies }: Options,
): void {
  const { store, runs } = dependencies;
  const files = createPayoutFiles(dependencies, limiter);
  const slots = createSlots(inMemory);
  const incoming = createIncomingBodies(slowFiles);
  const find = async (c: Context<MerchantEnv>): Promise<CheckedBatch> => {
    const batchId = pathId(c.req.param('batch_id'));
    const batch = await fromStore(readBatch(store, { batchId, shopId: c.get('shop').shopId }));
    if (!isChecked(batch)) throw new Problem('not_found');
    return batch;
  };

  app.post(
    path,
    forScope('payouts', async (c) => {
      requireContentType(c, 'text/csv');
      const sentBy = sentByOf(c, trustedProxies);
      const batch = await slots.run(sentBy, bytesOf(c), async () => {
        const read = () => readBytes(c, mostFileBytes);
        const content = await incoming.read(c, () => sentBy, read);
        return files.check({ shop: c.get('shop'), content, origin: originOf(c) });
      });
      const running = await fromStore(runs.current());
      return c.json(checkedView(c, batch, running), 201);
    }),
  );

  app.post(
    `${path}/:batch_id/confirm`,
    forScope('payouts', async (c) => {
      const batchId = pathId(c.req.param('batch_id'));
      const confirmation = { batchId, shop: c.get('shop'), origin: originOf(c) };
      const batch = await files.confirm(confirmation);
      batchWorker?.begin(batchId);
      const shown = { ...view(c, batch, noRuns), needs_second_member: undefined };
      return c.json({ ...shown, ...(!isDone(batch) && { status: 'running' }) }, 202);
    }),
  );

  app.get(
    `${path}/:batch_id`,
    forScope('read', async (c) => {
      // Read before the batch, so that one that ends in between is shown as done.
      const running = await fromStore(runs.current());
      return c.json(view(c, await find(c), running));
    }),
  );

  app.get(
    `${path}/:batch_id/result.csv`,
    forScope('read', async (c) =>
      c.body(resultFile(await find(c)), 200, {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="result.csv"',
      }),
    ),
  );
}

/** The declared length of the body, or else the largest that is allowed. */
const bytesOf = (c: Context): number =>
  Math.min(Number(c.req.header('content-length') ?? mostFileBytes), mostFileBytes) || 0;

function checkedView(c: Context<MerchantEnv>, batch: CheckedBatch, runs: PayoutRuns) {
  const { batch_id, rows, total, errors } = batch.checked;
  const { status } = statusOf(batch, runs);
  const waits = status === 'checked' && errors.length === 0 && needsSecondMember(c.get('shop'));
  const second = waits && ({ needs_second_member: true } as const);
  return { batch_id, status, rows, total, errors, ...second };
}

function view(c: Context<MerchantEnv>, batch: CheckedBatch, runs: PayoutRuns) {
  const { created, failed } = statusOf(batch, runs);
  return { ...checkedView(c, batch, runs), created, failed };
}
