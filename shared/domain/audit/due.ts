/**
 * The newest scheduled audit, which decides when the next is due: when it ran, and how it ended.
 */
export type LastRun = { endedMs: number; failed: boolean };

/** A failed audit is retried sooner: after a tenth of the interval. */
const retryShare = 0.1;
const shortestRetryMs = 60_000;

/** How long until the next audit is due; 0: now. */
export function dueInMs(last: LastRun | undefined, everyMs: number, nowMs: number): number {
  if (!last) return 0;
  const pauseMs = last.failed
    ? Math.min(everyMs, Math.max(shortestRetryMs, everyMs * retryShare))
    : everyMs;
  return Math.max(0, Math.min(pauseMs, last.endedMs + pauseMs - nowMs));
}
