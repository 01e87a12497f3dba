import { dayAfter, mostDaysBack } from '#shared/application/statements/days.ts';

/**
 * The newest finished days, newest first: of these alone statements are asked for. A day is due
 * `afterMs` after its end: banks book around midnight.
 */
export function dueDays(nowMs: number, afterMs: number): string[] {
  const newest = dayAfter(new Date(nowMs - afterMs).toISOString().slice(0, 10), -1);
  return Array.from({ length: mostDaysBack }, (_, back) => dayAfter(newest, -back));
}

/**
 * Which of the due days have to be fetched: what is missing since the oldest of them that is there,
 * the newest, and what is wanted in any case, say because it was asked for in vain. A day that is
 * due no more is in none of it: a person has to bring its statement.
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
