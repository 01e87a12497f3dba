import { dayAfter, mostDaysBack } from '#shared/application/statements/days.ts';

/**
 * The finished days whose statements are to be there, newest first. A day is due `afterMs` after its end: banks book
 * around midnight.
 */
export function dueDays(nowMs: number, afterMs: number): string[] {
  const newest = dayAfter(new Date(nowMs - afterMs).toISOString().slice(0, 10), -1);
  return Array.from({ length: mostDaysBack }, (_, back) => dayAfter(newest, -back));
}

/**
 * Those that have to be fetched: all since the oldest of them that is there, the newest, and what is wanted in any
 * case: say what was asked for in vain.
 */
export function missingDays(
  due: readonly string[],
  is: { there(day: string): boolean; wanted(day: string): boolean },
): string[] {
  const oldest = due.findLastIndex((day) => is.there(day));
  return due.filter((day, back) => !is.there(day) && (back === 0 || back < oldest || is.wanted(day)));
}
