import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { BatchRun } from '#shared/domain/payout-batch/decide.ts';
import { payoutBatchStream } from '#shared/domain/payout-batch/events.ts';
import { batchesAtOnce, newestOnly } from '#shared/application/payout-batches/batches.ts';
import {
  runBatch,
  type RunPorts,
  type RowFailures,
} from '#shared/application/payout-batches/run-batch.ts';
import { atMost } from '#shared/platform/at-most.ts';

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
const stopWithinMs = 5_000;
const stoppedMessage = 'a batch of payouts stopped, and is continued later';

type Options = { now?: () => number; polls?: boolean };

export function createBatchWorker(
  dependencies: Omit<RunPorts, 'failures'>,
  { now = () => performance.now(), polls = true }: Options = {},
): BatchWorker {
  const { store, runs, logger } = dependencies;
  const stopped = new AbortController();
  const own = new Set<string>();
  const working = new Map<string, Promise<void>>();
  /** One of a shop at a time, so that its files don't take the capacity of other shops. */
  const busyShops = new Set<string>();
  const failures: RowFailures = new LRUCache({ max: 10_000 });
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
