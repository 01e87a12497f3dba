import { dayAfter, mostDaysBack } from '#shared/application/statements/days.ts';

/**
 * The last finished days, newest first. Statements are fetched only for these. A day is due
 * `afterMs` after its end, because banks still book around midnight.
 */
export function dueDays(nowMs: number, afterMs: number): string[] {
  const newest = dayAfter(new Date(nowMs - afterMs).toISOString().slice(0, 10), -1);
  return Array.from({ length: mostDaysBack }, (_, back) => dayAfter(newest, -back));
}

/**
 * Which of the due days have to be fetched: the missing days after the oldest imported one, the
 * newest day, and days to retry (for example because an earlier fetch failed). For a day that is no
 * longer due, a person has to upload the statement.
 */
export function missingDays(
  due: readonly string[],
  checks: { isImported(day: string): boolean; isRetried(day: string): boolean },
): string[] {
  const oldest = due.findLastIndex((day) => checks.isImported(day));
  return due.filter(
    (day, back) =>
      !checks.isImported(day) && (back === 0 || back < oldest || checks.isRetried(day)),
  );
}
