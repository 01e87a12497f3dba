import { dayMs } from '#shared/domain/day.ts';

/** The longest that an endpoint can defer an attempt with `Retry-After`. */
export const maxRetryAfterMs = dayMs;

const jitterShare = 0.2;

type RetryTiming = {
  /** From now to the next attempt, in milliseconds. */
  delayMs: number;
  /**
   * The part of it that the endpoint requested; a newer message of the operation doesn't shorten
   * it.
   */
  holdMs: number;
};

/**
 * The delay after `tries` failed attempts of a round; undefined after the last one (R14.7). The
 * schedule has the delay before each attempt, and so limits their number. Delays vary by ±20 %, so
 * that messages that failed together are not retried together. `Retry-After` is a minimum.
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

/**
 * `Retry-After` (seconds, or a date of HTTP) in milliseconds from now; undefined when it is neither
 * (RFC 9110).
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Dates begin with a day's name, unlike much that `Date.parse` accepts.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
