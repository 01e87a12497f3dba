import type { Random } from '#infra/verify/harness/tests/random.ts';
import { mixes, type LoadArrival, type MixName } from './kinds.ts';

/** The pause before the next arrival of a Poisson process, in milliseconds. */
export const pauseMs = (random: Random, perSecond: number): number =>
  (-Math.log(1 - random.next()) * 1_000) / perSecond;

/** What arrives, drawn by the mix. */
export function drawArrival(random: Random, mix: MixName): LoadArrival {
  const shares = Object.entries(mixes[mix]) as [LoadArrival, number][];
  let left = random.next() * shares.reduce((sum, [, share]) => sum + share, 0);
  for (const [arrival, share] of shares) {
    left -= share;
    if (left < 0) return arrival;
  }
  return 'payment';
}

/**
 * The wait of a person or a merchant's program: exponential, at most four times the mean.
 * Milliseconds.
 */
export const thinkMs = (random: Random, meanMs: number): number =>
  Math.min(4 * meanMs, -Math.log(1 - random.next()) * meanMs);
