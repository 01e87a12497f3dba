import { backoffMs, jittered } from '#shared/platform/backoff.ts';
import { dayMs } from '#shared/domain/day.ts';

const backoff = { firstMs: 100, longestMs: 3_000 };
/** After being unreachable for this long the gateway gets no more callbacks; it can still poll. */
const giveUpAfterMs = 7 * dayMs;

/** The backoff after `deliveries` failed attempts, in milliseconds; undefined: give up. */
export function retryDelayMs(
  { deliveries, ageMs }: { deliveries: number; ageMs: number },
  random: number,
): number | undefined {
  if (ageMs > giveUpAfterMs) return undefined;
  return Math.round(jittered(backoffMs(deliveries - 1, backoff), random));
}
