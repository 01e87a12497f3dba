import type { ShopSettings } from '#shared/domain/shop/events.ts';

export type RateLimit = ShopSettings['rate_limit'];

/** What one request did to its key's bucket. */
export type Taken = {
  allowed: boolean;
  /** Requests that the key may send at once from here on. */
  remaining: number;
  /** Until the bucket is full again. */
  fullInMs: number;
  /** Until the next request is allowed; 0 when it is already. */
  nextInMs: number;
};

/**
 * Counts requests a key. This one counts in the memory of its process, so each instance allows a key its whole limit;
 * one that instances share answers with a promise.
 */
export type RateLimiter = { take(key: string, limit: RateLimit): Taken | Promise<Taken> };

type Bucket = { tokens: number; burst: number; filledAtMs: number };

const maxKeys = 50_000;

/**
 * One token bucket a key (contract §3.13), filled evenly. The limit is given anew with each request: a change of the
 * shop's is in force for the next one, and what a raised burst adds is there at once. The least recently used bucket
 * gives way where there would be more than `maxBuckets`: its key starts again with a full one.
 */
export function createTokenBuckets({ nowMs = () => performance.now(), maxBuckets = maxKeys } = {}): {
  take(key: string, limit: RateLimit): Taken;
} {
  const buckets = new Map<string, Bucket>();
  return {
    take: (key, { per_second: perSecond, burst }) => {
      const atMs = nowMs();
      const bucket = buckets.get(key) ?? { tokens: burst, burst, filledAtMs: atMs };
      const added = ((atMs - bucket.filledAtMs) * perSecond) / 1000 + Math.max(0, burst - bucket.burst);
      const tokens = Math.min(burst, bucket.tokens + added);
      const allowed = tokens >= 1;
      const left = allowed ? tokens - 1 : tokens;
      // Taken out and put back: the map keeps its keys in the order of their last use.
      buckets.delete(key);
      buckets.set(key, { tokens: left, burst, filledAtMs: atMs });
      if (buckets.size > maxBuckets) buckets.delete(oldest(buckets));
      return {
        allowed,
        remaining: Math.floor(left),
        fullInMs: ((burst - left) * 1000) / perSecond,
        nextInMs: left >= 1 ? 0 : ((1 - left) * 1000) / perSecond,
      };
    },
  };
}

function oldest(buckets: ReadonlyMap<string, Bucket>): string {
  for (const key of buckets.keys()) return key;
  return '';
}
