import { z } from 'zod';

const example = 'must be a time such as 2026-01-31T12:00:00Z';
const timeOf = (rule: string) => z.string().refine(isRfc3339, rule).transform(toWholeMs);

/** A time in a query string, as a list's filter. */
export const timeParameter = timeOf(`${example}; write a + in it as %2B`);
/** A time in a body. */
export const timeField = timeOf(example);

/** zod knows the calendar; it takes times without seconds, which RFC 3339 does not. */
function isRfc3339(text: string): boolean {
  const parsed = z.iso.datetime({ offset: true }).safeParse(text.toUpperCase());
  return (
    parsed.success && /T\d\d:\d\d:\d\d/i.test(text) && !Number.isNaN(toWholeMs(text).getTime())
  );
}

/**
 * The first whole millisecond at that time or after it: times of operations have no finer part, so
 * that this decides the same. Nothing is as old as 1970, and PostgreSQL knows no year 0.
 */
function toWholeMs(text: string): Date {
  const ms = Date.parse(text.toUpperCase());
  const finer = /\.\d{3}\d*[1-9]/.test(text) ? 1 : 0;
  return new Date(Math.max(0, ms + finer));
}
