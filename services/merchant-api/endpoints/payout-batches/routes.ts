import type { Context, Hono } from 'hono';
import {
  isChecked,
  isDone,
  noRuns,
  payoutIds,
  batchStatus,
  type CheckedBatch,
  type PayoutBatch,
  type PayoutRuns,
} from '#shared/domain/payout-batch/decide.ts';
import { findExisting } from '#projections/operations/find-existing.ts';
import { readPayoutOutcomes } from '#projections/operations/payout-outcomes.ts';
import { readBatch } from '#shared/application/payout-batches/batches.ts';
import { createPayoutFiles } from '#shared/application/payout-batches/payout-files.ts';
import { payoutFileTypes, mostFileBytes } from '#shared/application/payout-batches/read-file.ts';
import { resultFile } from '#shared/application/payout-batches/result-file.ts';
import { explainRowError } from '#shared/application/payout-batches/row-faults.ts';
import { needsSecondMember } from '#shared/domain/shop/state.ts';
import { readPathId } from '#shared/application/directory/command-shop.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { readBytes } from '#shared/platform/http/body.ts';
import { requireAnyContentType } from '#shared/platform/http/content-type.ts';
import { createIncomingBodies } from '#shared/platform/http/incoming-bodies.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { createSlots } from '#shared/platform/http/slots.ts';
import type { RateLimiter } from '#shared/platform/http/token-buckets.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import { requestSource } from '../../limits/bodies.ts';
import { boundedByShop } from '../../limits/in-flight.ts';
import { shopOrigin } from '../../origin.ts';
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

/** Result files that are made at a time: each holds a connection of the lists. */
const maxResults = { total: 16, perShop: 2 };

type Ports = Pick<
  MerchantDependencies,
  'store' | 'personal' | 'receipts' | 'runs' | 'db' | 'current' | 'entryPoster'
>;

type Options = Ports & {
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
  const files = createPayoutFiles({ ...dependencies, ...existingIn(dependencies) }, limiter);
  const slots = createSlots(inMemory);
  const incoming = createIncomingBodies(slowFiles);
  const outcomes = createOutcomes(dependencies);
  const find = async (c: Context<MerchantEnv>): Promise<CheckedBatch> => {
    const batchId = readPathId(c.req.param('batch_id'));
    const batch = await fromStore(readBatch(store, { batchId, shopId: c.get('shop').shopId }));
    if (!isChecked(batch)) throw new Problem('not_found');
    return batch;
  };

  app.post(
    path,
    forScope('payouts', async (c) => {
      requireAnyContentType(c, payoutFileTypes);
      const sentBy = requestSource(c, trustedProxies);
      const batch = await slots.run(sentBy, expectedBytes(c), async () => {
        const read = () => readBytes(c, mostFileBytes);
        const content = await incoming.read(c, () => sentBy, read);
        return files.check({ shop: c.get('shop'), content, origin: shopOrigin(c) });
      });
      const running = await fromStore(runs.current());
      return c.json(checkedView(c, batch, running), 201);
    }),
  );

  app.post(
    `${path}/:batch_id/confirm`,
    forScope('payouts', async (c) => {
      const batchId = readPathId(c.req.param('batch_id'));
      const confirmation = { batchId, shop: c.get('shop'), origin: shopOrigin(c) };
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
    forScope('read', async (c) => {
      const batch = await find(c);
      return c.body(
        resultFile(batch, await outcomes({ shopId: batch.checked.shop_id, batch })),
        200,
        {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="result.csv"',
        },
      );
    }),
  );
}

const existingIn = ({ db }: Ports) =>
  db && { findExisting: (ids: readonly string[]) => fromDatabase(findExisting(db, ids)) };

const noOutcomes: Awaited<ReturnType<typeof readPayoutOutcomes>> = new Map();

/** What became of a batch's payouts; nothing while the read models can't be read. */
function createOutcomes({ db, current, entryPoster }: Ports) {
  if (!db) return async () => noOutcomes;
  const read = (operationId: string) => current.operation(operationId);
  const outcomes = boundedByShop(maxResults, ({ shopId, batch }: OfShop) =>
    readPayoutOutcomes({ db, entryPoster, read }, { shopId, operationIds: payoutIds(batch) }),
  );
  return (batch: OfShop) =>
    outcomes(batch).catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'not_ready') return noOutcomes;
      throw error;
    });
}

type OfShop = { shopId: string; batch: PayoutBatch };

/** The declared length of the body, or else the largest that is allowed. */
const expectedBytes = (c: Context): number =>
  Math.min(Number(c.req.header('content-length') ?? mostFileBytes), mostFileBytes) || 0;

function checkedView(c: Context<MerchantEnv>, batch: CheckedBatch, runs: PayoutRuns) {
  const { batch_id, rows, total } = batch.checked;
  const errors = batch.checked.errors.map((error) => ({
    ...error,
    detail: explainRowError(error).en,
  }));
  const { status } = batchStatus(batch, runs);
  const waits = status === 'checked' && errors.length === 0 && needsSecondMember(c.get('shop'));
  const second = waits && ({ needs_second_member: true } as const);
  return { batch_id, status, rows, total, errors, ...second };
}

function view(c: Context<MerchantEnv>, batch: CheckedBatch, runs: PayoutRuns) {
  const { created, failed } = batchStatus(batch, runs);
  return { ...checkedView(c, batch, runs), created, failed };
}
