import type { LRUCache } from 'lru-cache';
import type { Directory } from '#shared/application/directory/directory.ts';
import { isDone, type BatchRun } from '#shared/domain/payout-batch/decide.ts';
import type { RowResult } from '#shared/domain/payout-batch/events.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { finishRun, readBatch, readRows, recordRows, type Runs } from './batches.ts';
import { createRow, endWithoutCreate, type RowPorts, type RowToCreate } from './create-row.ts';
import { isLasting, RowFailed, withoutMessage } from './row-failure.ts';

/** A row that a kill interrupted ends like any interrupted create: it may be declined. */
const rowsAtOnce = 5;
const rowsInRecord = 20;
/** A row that failed so often for a reason of its own fails for good. */
const mostTries = 3;

/** How often each row failed, by its batch and number. */
export type RowFailures = LRUCache<string, number>;
export type RunPorts = RowPorts & {
  directory: Pick<Directory, 'byId'>;
  runs: Runs;
  failures: RowFailures;
  logger: Pick<Logger, 'debug' | 'error' | 'warn'>;
};

/**
 * The result of a row. One that fails again and again does not stop its file: it has an error.
 * @throws when its outcome is not known, or it may succeed later
 */
async function endRow(
  { failures, ...dependencies }: RunPorts,
  about: RowToCreate,
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
export async function runBatch(
  dependencies: RunPorts,
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
