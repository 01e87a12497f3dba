import { z } from 'zod';

const example = 'must be a time such as 2026-01-31T12:00:00Z';
const timeSchema = (rule: string) => z.string().refine(isRfc3339, rule).transform(toWholeMs);

/** A time in a query string, as a list's filter. */
export const timeParameter = timeSchema(`${example}; write a + in it as %2B`);
/** A time in a body. */
export const timeField = timeSchema(example);

/** zod checks the calendar, but accepts times without seconds, which RFC 3339 does not. */
function isRfc3339(text: string): boolean {
  const parsed = z.iso.datetime({ offset: true }).safeParse(text.toUpperCase());
  return (
    parsed.success && /T\d\d:\d\d:\d\d/i.test(text) && !Number.isNaN(toWholeMs(text).getTime())
  );
}

/**
 * Rounded up to a millisecond, which compares the same because stored times are no finer. Times
 * before 1970 become 1970: nothing is as old, and PostgreSQL has no year 0.
 */
function toWholeMs(text: string): Date {
  const ms = Date.parse(text.toUpperCase());
  const finer = /\.\d{3}\d*[1-9]/.test(text) ? 1 : 0;
  return new Date(Math.max(0, ms + finer));
}
