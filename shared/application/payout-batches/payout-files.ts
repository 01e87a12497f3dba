import type { CheckedBatch } from '#shared/domain/payout-batch/decide.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { createConcurrencyLimit } from '#shared/platform/http/limit-concurrency.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { RateLimiter } from '#shared/platform/http/token-buckets.ts';
import type { Origin } from '../commands/origin.ts';
import { checkBatch, confirmPayoutBatch, type BatchPorts, type Runs } from './batches.ts';
import { readPayoutFile } from './read-file.ts';

/** Files of payouts, so that one shop's leave the process to others (R24.9). */
export type PayoutFiles = {
  /** @throws Problem rate_limited; those of `readPayoutFile` and `checkBatch` */
  check(file: { shop: Shop; content: Uint8Array; origin: Origin }): Promise<CheckedBatch>;
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
    check: async ({ shop, content, origin }) => {
      const rows = countLines(content);
      takeRows(limiter, shop, rows);
      const checked = inTurn(shop.shopId, async () => {
        const file = await readPayoutFile(content);
        return fromStore(checkBatch(ports, { shop, file, origin }));
      });
      return checked.catch((error: unknown) => {
        if (isFree(error)) limiter.refund(bucketKey(shop), shop.settings.rate_limit, rows);
        throw error;
      });
    },
    confirm: (confirmation) =>
      inTurn(confirmation.shop.shopId, () => fromStore(confirmPayoutBatch(ports, confirmation))),
  };
}

const bucketKey = ({ shopId }: Shop) => `files:${shopId}`;

/** Whether the file was not checked: it has no valid header, or could not be stored. */
const isFree = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'invalid_request' || error.code === 'not_ready');

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
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(nextInMs / 1_000))) },
  });
}

const lineFeed = 0x0a;

/** The rows of the file, or one more. */
function countLines(content: Uint8Array): number {
  let count = 0;
  for (let at = content.indexOf(lineFeed); at !== -1; at = content.indexOf(lineFeed, at + 1))
    count += 1;
  return Math.max(1, count);
}
