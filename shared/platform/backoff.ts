/** How long to wait before the next try. */
export type Backoff = { readonly firstMs: number; readonly longestMs: number };

/** The pause after N failures in a row, from 0: it doubles up to the longest. */
export const backoffMs = (failures: number, { firstMs, longestMs }: Backoff): number =>
  Math.min(firstMs * 2 ** Math.min(failures, 30), longestMs);

/** Varies a pause by ±20 %, so that many don't try again together; `random` in [0, 1). */
export const jittered = (ms: number, random: number): number => ms * (0.8 + 0.4 * random);
