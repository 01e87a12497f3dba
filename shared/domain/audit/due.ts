/** The newest audit that ran by itself, as far as it says when the next one is due. */
export type LastRun = { endedMs: number; failed: boolean };

/** What failed is tried again sooner: a tenth of the time, and not at once. */
const retryShare = 0.1;
const shortestRetryMs = 60_000;

/** How long until the next one; 0: now. */
export function dueInMs(last: LastRun | undefined, everyMs: number, nowMs: number): number {
  if (!last) return 0;
  const pauseMs = last.failed ? Math.min(everyMs, Math.max(shortestRetryMs, everyMs * retryShare)) : everyMs;
  return Math.max(0, Math.min(pauseMs, last.endedMs + pauseMs - nowMs));
}
