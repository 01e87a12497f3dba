import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { isDone, type BatchRun } from '#shared/domain/payout-batch/decide.ts';
import { payoutBatchStream, type RowResult } from '#shared/domain/payout-batch/events.ts';
import {
  batchesAtOnce,
  finishRun,
  newestOnly,
  readBatch,
  readRows,
  recordRows,
  type Runs,
} from '#shared/application/payout-batches/batches.ts';
import { atMost } from '#shared/platform/at-most.ts';
import type { MerchantDependencies } from '../dependencies.ts';
import { createRow, endWithoutCreate } from './create-row.ts';
import { isLasting, RowFailed, withoutMessage } from './row-failure.ts';

/**
 * Creates the payouts of confirmed batches. Every instance has one, and any may continue any batch
 * (R24.3): a payout is created once, by any instance, and results are appended at the revision that
 * was read. So an instance that is behind another leaves the batch to it.
 */
export type BatchWorker = {
  /** This instance confirmed it, and begins at once. */
  begin(batchId: string): void;
  /** Starts the confirmed batches that no instance works on. Resolves once they are started. */
  poll(): Promise<void>;
  stop(): Promise<void>;
};

const everyMs = 1_000;
/** A batch without a new record for this long was left by the instance that worked on it. */
const patienceMs = 5_000;
/** A row that a kill interrupted ends like any interrupted create: it may be declined. */
const rowsAtOnce = 5;
const rowsInRecord = 20;
/** A row that failed so often for a reason of its own fails for good. */
const mostTries = 3;
const stopWithinMs = 5_000;
const stoppedMessage = 'a batch of payouts stopped, and is continued later';

type Options = { now?: () => number; polls?: boolean };

export function createBatchWorker(
  dependencies: MerchantDependencies & { runs: Runs },
  { now = () => performance.now(), polls = true }: Options = {},
): BatchWorker {
  const { store, runs, logger } = dependencies;
  const stopped = new AbortController();
  const own = new Set<string>();
  const working = new Map<string, Promise<void>>();
  /** One of a shop at a time, so that its files don't take the capacity of other shops. */
  const busyShops = new Set<string>();
  const failures: Failures = new LRUCache({ max: 10_000 });
  /** The progress of another instance's batch, and when it was last seen to change. */
  const lastProgress = new LRUCache<string, { revision: number; atMs: number }>({ max: 10_000 });

  const isLeft = async (batchId: string): Promise<boolean> => {
    if (own.has(batchId)) return true;
    const [newest] = await store.read(payoutBatchStream(batchId), newestOnly);
    const revision = newest?.revision ?? -1;
    const before = lastProgress.get(batchId);
    if (before?.revision === revision) return now() - before.atMs >= patienceMs;
    lastProgress.set(batchId, { revision, atMs: now() });
    return false;
  };
  const work = (run: BatchRun): Promise<void> =>
    runBatch({ ...dependencies, failures }, run, stopped.signal)
      .catch((err: unknown) => {
        if (!stopped.signal.aborted) logger.warn({ err, batchId: run.batchId }, stoppedMessage);
      })
      .finally(() => {
        busyShops.delete(run.shopId);
        own.delete(run.batchId);
        lastProgress.delete(run.batchId);
        working.delete(run.batchId);
      });
  const start = async () => {
    const { running } = await runs.current();
    for (const [batchId, run] of running) {
      if (stopped.signal.aborted || working.size >= batchesAtOnce) return;
      if (busyShops.has(run.shopId) || !(await isLeft(batchId)) || busyShops.has(run.shopId))
        continue;
      busyShops.add(run.shopId);
      working.set(batchId, work(run));
    }
  };
  const startOrWarn = () =>
    start().catch((err: unknown) => logger.warn({ err }, 'batches of payouts could not be read'));
  const poll = async () => {
    while (!stopped.signal.aborted) {
      await startOrWarn();
      await delay(everyMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const polling = polls ? poll() : undefined;
  return {
    begin: (batchId) => {
      own.add(batchId);
      void startOrWarn();
    },
    poll: start,
    stop: async () => {
      stopped.abort();
      // The rest is continued after the next start, as after a crash.
      await atMost(stopWithinMs, Promise.all([polling, ...working.values()])).catch(
        () => undefined,
      );
    },
  };
}

/** How often each row failed, by its batch and number. */
type Failures = LRUCache<string, number>;
type RowDependencies = MerchantDependencies & { runs: Runs; failures: Failures };

/**
 * The result of a row. One that fails again and again does not stop its file: it has an error.
 * @throws when its outcome is not known, or it may succeed later
 */
async function endRow(
  { failures, ...dependencies }: RowDependencies,
  about: Parameters<typeof createRow>[1],
): Promise<RowResult> {
  const { batchId } = about.run;
  const { row } = about.row;
  try {
    return await createRow(dependencies, about);
  } catch (err) {
    if (!isLasting(err)) throw err;
    const failure = { batchId, row, ...withoutMessage(err) };
    const key = `${batchId} ${row}`;
    const tries = (failures.get(key) ?? 0) + 1;
    failures.set(key, tries);
    if (tries < mostTries) throw new RowFailed(`row ${row} failed with ${failure.error}`);
    const result = await endWithoutCreate(dependencies, about, 'internal_error');
    dependencies.logger.error(failure, 'a row of a file of payouts failed');
    return result;
  }
}

/** Creates rows until each has a result, or another instance is ahead. */
async function runBatch(
  dependencies: RowDependencies,
  run: BatchRun,
  signal: AbortSignal,
): Promise<void> {
  const { store, directory, runs } = dependencies;
  const { batchId, shopId } = run;
  let batch = await readBatch(store, { batchId, shopId });
  while (!isDone(batch)) {
    const rows = await readRows(store, { batchId, after: batch.results.length });
    if (rows.length === 0) throw new Error(`batch ${batchId} lacks rows`);
    const shop = await directory.byId(shopId);
    if (!shop) throw new Error(`the shop of batch ${batchId} is not known`);
    const results: RowResult[] = [];
    const next = rows.slice(0, rowsInRecord).entries();
    const lane = async () => {
      for (const [at, row] of next) results[at] = await endRow(dependencies, { shop, run, row });
    };
    // All lanes end before the batch is given up: another may take it from here.
    const lanes = await Promise.allSettled(Array.from({ length: rowsAtOnce }, lane));
    const failed = lanes.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    if (signal.aborted) return;
    const recorded = await recordRows(store, { run, batch, results });
    if (!recorded) return;
    batch = recorded;
  }
  await finishRun(store, await runs.current(), run);
}
