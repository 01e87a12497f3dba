/** Longest time that an endpoint can put an attempt off with `Retry-After`. */
export const maxRetryAfterMs = 24 * 60 * 60_000;

const jitterShare = 0.2;

export type RetryTiming = {
  /** From now to the next attempt, in milliseconds. */
  delayMs: number;
  /** The part of it that the endpoint asked for: not shortened by a newer message of the operation. */
  holdMs: number;
};

/**
 * When to try again after `tries` attempts of a round have failed; undefined when it was the last (R14.7).
 * The schedule holds the delay before each attempt and so bounds their number; it is spread by ±20 %, so that what
 * failed together does not come back together. What the endpoint asks for is a least delay.
 * @param random from 0 up to 1
 */
export function nextTry(
  { tries, retryAfterMs = 0 }: { tries: number; retryAfterMs?: number | undefined },
  scheduleMs: readonly number[],
  random: () => number,
): RetryTiming | undefined {
  const plannedMs = scheduleMs[tries];
  if (plannedMs === undefined) return undefined;
  const spreadMs = plannedMs * (1 - jitterShare + 2 * jitterShare * random());
  const holdMs = Math.min(Math.max(0, retryAfterMs), maxRetryAfterMs);
  return { delayMs: Math.round(Math.max(spreadMs, holdMs)), holdMs: Math.round(holdMs) };
}

/** `Retry-After` (seconds, or a date of HTTP) in milliseconds from now; undefined when it is neither (RFC 9110). */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Dates begin with a day's name: `Date.parse` would take much else.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
