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
 * Which of the due days have to be fetched: the missing days after the oldest one that is there,
 * the newest day, and the wanted days (for example because an earlier fetch failed). For a day that
 * is no longer due, a person has to bring the statement.
 */
export function missingDays(
  due: readonly string[],
  is: { there(day: string): boolean; wanted(day: string): boolean },
): string[] {
  const oldest = due.findLastIndex((day) => is.there(day));
  return due.filter(
    (day, back) => !is.there(day) && (back === 0 || back < oldest || is.wanted(day)),
  );
}
