import {
  createTokenBuckets,
  type RateLimit,
  type Taken,
} from '#shared/platform/http/token-buckets.ts';
import type { SpendingLimiter } from '#shared/platform/nats/shared-limiter.ts';

/**
 * High, because a phone network's subscribers share addresses: it must allow many pages, each with
 * its stream and a refresh every 10 s.
 */
const limit: RateLimit = { per_second: 10, burst: 200 };
/** An unknown id counts as a guess: ten at once, then one every 2 s. */
const missCost = 20;

export type AddressLimits = {
  take(address: string): Taken;
  /** The requested payment does not exist. */
  noteMiss(address: string): void;
};

/** Limits the requests of an address, over all instances that share the limiter. */
export function createAddressLimits(limiter: SpendingLimiter): AddressLimits {
  return {
    take: (address) => limiter.take(address, limit),
    noteMiss: (address) => limiter.spend(address, limit, missCost),
  };
}

/** Counts for this process alone. */
export function countAlone(
  options: { nowMs?: () => number; maxBuckets?: number } = {},
): SpendingLimiter {
  const { spend, ...limiter } = createTokenBuckets(options);
  return { ...limiter, spend: (key, _limit, tokens) => spend(key, tokens) };
}
