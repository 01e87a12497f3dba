const firstMs = 100;
const longestMs = 3_000;
/** A gateway that has been away for this long is not told any more; it can still ask. */
const giveUpAfterMs = 7 * 86_400_000;

/** When a callback that failed `deliveries` times goes out again, in milliseconds from now; nothing: never. */
export function retryDelayMs(
  { deliveries, ageMs }: { deliveries: number; ageMs: number },
  random: number,
): number | undefined {
  if (ageMs > giveUpAfterMs) return undefined;
  const delayMs = Math.min(longestMs, firstMs * 2 ** Math.min(deliveries - 1, 10));
  return Math.round(delayMs * (0.8 + 0.4 * random));
}
