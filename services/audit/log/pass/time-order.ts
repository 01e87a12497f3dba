/** How far a clock may be set back while the log is honest: NTP steps one by seconds at most. */
export const honestStepMs = 10_000;

const isoTime = (ms: number): string => new Date(ms).toISOString();

/**
 * Checks the times that the store gave its events. One event alone proves nothing, but the log is
 * in the order in which it was written: an event that is clearly older than any before it shows
 * that a clock was set, or that a time was made up, of this event or of the other. No time may lie
 * in the future of the clock that audits.
 */
export function createTimeOrder(now: () => number = Date.now) {
  let newest = { position: 0, ms: -Infinity };
  let [isAhead, isBehind] = [false, false];
  /** Why an event's time is wrong, at the first of several. */
  return ({ position, atMs }: { position: number; atMs: number }): string | undefined => {
    const before = newest;
    const [wasAhead, wasBehind] = [isAhead, isBehind];
    if (atMs > newest.ms) newest = { position, ms: atMs };
    isBehind = atMs < before.ms - honestStepMs;
    isAhead = atMs > now() + honestStepMs;
    if (isAhead)
      return wasAhead ? undefined : `recorded at ${isoTime(atMs)}, which has not come yet`;
    return isBehind && !wasBehind
      ? `recorded at ${isoTime(atMs)}, after position ${before.position} at ${isoTime(before.ms)}`
      : undefined;
  };
}
