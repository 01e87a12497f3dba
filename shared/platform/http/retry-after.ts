/** The random part of short and of long times, in seconds. */
const mostJitterS = { short: 2, long: 30 };

/**
 * The seconds for `Retry-After`: those that the caller has to wait, and up to 2 s or a quarter more
 * at random, because clients that were refused together would also return together (R2.9).
 */
export function retryAfterSeconds(leastMs: number, random: () => number = Math.random): number {
  const leastS = Math.max(1, Math.ceil(leastMs / 1_000));
  const { short, long } = mostJitterS;
  const jitterS = Math.min(long, Math.max(short, Math.floor(leastS / 4)));
  return leastS + Math.floor(random() * (jitterS + 1));
}
