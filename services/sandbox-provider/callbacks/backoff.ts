const firstMs = 100;
const longestMs = 3_000;
/** After being unreachable for this long the gateway gets no more callbacks; it can still poll. */
const giveUpAfterMs = 7 * 86_400_000;

/** The backoff after `deliveries` failed attempts, in milliseconds; undefined: give up. */
export function retryDelayMs(
  { deliveries, ageMs }: { deliveries: number; ageMs: number },
  random: number,
): number | undefined {
  if (ageMs > giveUpAfterMs) return undefined;
  const delayMs = Math.min(longestMs, firstMs * 2 ** Math.min(deliveries - 1, 10));
  return Math.round(delayMs * (0.8 + 0.4 * random));
}
