import { dayMs } from '#shared/domain/day.ts';

/**
 * How many days back statements are fetched automatically after an outage; people request older
 * ones.
 */
export const mostDaysBack = 7;

/** The day N days later, in UTC. */
export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** The days on which the money of a day's statement may have moved. */
export const daysAround = (day: string): string[] => [dayAfter(day, -1), day, dayAfter(day)];

/** The newest day that is over, in UTC. */
export const newestDay = (nowMs: number): string =>
  dayAfter(new Date(nowMs).toISOString().slice(0, 10), -1);
