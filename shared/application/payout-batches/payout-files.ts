import type { CheckedBatch } from '#shared/domain/payout-batch/decide.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { createConcurrencyLimit } from '#shared/platform/http/limit-concurrency.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { RateLimiter } from '#shared/platform/http/token-buckets.ts';
import type { Origin } from '../commands/origin.ts';
import {
  checkBatch,
  confirmPayoutBatch,
  type BatchPorts,
  type CheckedFile,
  type Runs,
} from './batches.ts';
import { mostFileBytes, readPayoutFile } from './read-file.ts';
import { openTable, type PayoutTable } from './table-rows.ts';

/** Files of payouts, so that one shop's leave the process to others (R24.9). */
export type PayoutFiles = {
  /** @throws Problem rate_limited; those of `readPayoutFile` and `checkBatch` */
  check(file: {
    shop: Shop;
    content: Uint8Array;
    name?: string | undefined;
    origin: Origin;
  }): Promise<CheckedFile>;
  /** @throws Problem those of `confirmPayoutBatch` */
  confirm(confirmation: Parameters<typeof confirmPayoutBatch>[1]): Promise<CheckedBatch>;
};

/** One file of a shop at a time; the others wait, as many as the service lets in. */
const ofShop = { running: 1, queued: 4_096 };

export function createPayoutFiles(
  ports: BatchPorts & { runs: Runs },
  limiter: RateLimiter,
): PayoutFiles {
  const inTurn = createConcurrencyLimit(ofShop);
  return {
    check: ({ shop, content, name, origin }) =>
      inTurn(shop.shopId, async () => {
        const table = openOrCharge(limiter, shop, content);
        const { mostCost } = table;
        takeRows(limiter, shop, mostCost);
        const refund = (rows: number) =>
          limiter.refund(bucketKey(shop), shop.settings.rate_limit, rows);
        try {
          const file = await readPayoutFile(content, table);
          return await fromStore(checkBatch(ports, { shop, file, name, origin }));
        } catch (error) {
          if (isFree(error, table)) refund(table.cost());
          throw error;
        } finally {
          // Other sheets and pictures are not unpacked.
          refund(mostCost - table.cost());
        }
      }),
    confirm: (confirmation) =>
      inTurn(confirmation.shop.shopId, () => fromStore(confirmPayoutBatch(ports, confirmation))),
  };
}

/** To find that a file is neither CSV nor .xlsx costs as much as a row. @throws Problem */
function openOrCharge(limiter: RateLimiter, shop: Shop, content: Uint8Array): PayoutTable {
  try {
    return openTable(content, mostFileBytes);
  } catch (error) {
    takeRows(limiter, shop, 1);
    throw error;
  }
}

const bucketKey = ({ shopId }: Shop) => `files:${shopId}`;

/**
 * Whether the file was not checked: it could not be stored, or is CSV without a valid header. To
 * find that .xlsx lacks one may take as long as to check it.
 */
const isFree = (error: unknown, { isWorkbook }: PayoutTable): boolean =>
  error instanceof Problem &&
  (error.code === 'not_ready' || (error.code === 'invalid_request' && !isWorkbook));

/**
 * Takes a token for each row, from a bucket of the shop's files that fills as one of a key: files
 * are checked no faster than as many requests would be.
 */
function takeRows(limiter: RateLimiter, shop: Shop, rows: number): void {
  const { rate_limit: limit } = shop.settings;
  const { allowed, nextInMs } = limiter.take(bucketKey(shop), limit, rows);
  if (allowed) return;
  throw new Problem('rate_limited', {
    detail: `the shop’s files may have ${limit.per_second} rows a second: the rows of earlier ones are not paid for yet`,
    retryAfterMs: nextInMs,
  });
}
