import { atMost } from '../at-most.ts';

/** A reading is reused for this long, and at least for this many times as long as it took. */
const everyMs = 10_000;
const reusePerCost = 100;
const waitMs = 2_000;

/**
 * A reading that costs a query, shared by the gauges of a scrape: repeated at most every 10 s and,
 * if it is slow, for at most a hundredth of the time. Undefined if it fails or takes longer than 2
 * s, because an unknown figure is not 0.
 */
export function readForScrape<T>(
  read: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T | undefined> {
  let last: T | undefined;
  let freshUntil = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  const take = async () => {
    const startedAt = now();
    try {
      last = await read();
      const endedAt = now();
      freshUntil = Math.max(startedAt + everyMs, endedAt + reusePerCost * (endedAt - startedAt));
    } catch {
      last = undefined;
    } finally {
      reading = undefined;
    }
  };

  return async () => {
    if (now() < freshUntil) return last;
    reading ??= take();
    return atMost(
      waitMs,
      reading.then(() => last),
    );
  };
}
