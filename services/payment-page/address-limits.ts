import { createTokenBuckets, type RateLimit, type Taken } from '#shared/http/token-buckets.ts';

/** A phone network's subscribers share addresses: a page, its stream and a refresh every 10 s must fit many times. */
const limit: RateLimit = { per_second: 10, burst: 200 };
/** An id that leads nowhere is a guess, as far as anybody can tell: ten at once, then one every 2 s. */
const missCost = 20;

export type AddressLimits = {
  take(address: string): Taken;
  /** The request asked for a payment that is not there. */
  noteMiss(address: string): void;
};

/** What one address may ask of this process. */
export function createAddressLimits(
  options: { nowMs?: () => number; maxBuckets?: number } = {},
): AddressLimits {
  const buckets = createTokenBuckets(options);
  return {
    take: (address) => buckets.take(address, limit),
    noteMiss: (address) => buckets.spend(address, missCost),
  };
}
