import { median } from '#infra/verify/harness/statistics.ts';

/** A point in time, in seconds, and a figure. */
export type Point = readonly [seconds: number, value: number];

/** As many pairs of points as half of these make are compared: some 80,000. */
const mostPoints = 400;

/**
 * The slope of Theil and Sen, the median of those between all pairs of points, by the second:
 * single outliers, such as a garbage collection or a disk that stalls, do not move it. Points that
 * are no numbers are left out.
 */
export function slopeOf(points: readonly Point[]): number {
  const known = points.filter(([, value]) => Number.isFinite(value));
  const every = Math.ceil(known.length / mostPoints);
  const chosen = known.filter((_, index) => index % every === 0);
  const slopes: number[] = [];
  for (const [index, [at, value]] of chosen.entries()) {
    for (let other = index + 1; other < chosen.length; other += 1) {
      const [laterAt = at, laterValue = value] = chosen[other] ?? [];
      if (laterAt > at) slopes.push((laterValue - value) / (laterAt - at));
    }
  }
  return slopes.length === 0 ? 0 : median(slopes);
}

/**
 * How a figure went: its medians in the first and the last third of the time, and its slope by the
 * hour.
 */
export type Trend = { readonly first: number; readonly last: number; readonly perHour: number };

export function trendOf(points: readonly Point[]): Trend {
  const known = points.filter(([, value]) => Number.isFinite(value));
  const third = Math.floor(known.length / 3);
  const values = known.map(([, value]) => value);
  return {
    first: median(values.slice(0, third)),
    last: median(values.slice(values.length - third)),
    perHour: slopeOf(known) * 3_600,
  };
}

/**
 * What a figure may gain from the first third to the last and still be called flat: a share, and an
 * amount.
 */
export type Slack = { readonly share: number; readonly amount: number };

/** Whether it grew by no more than that. A figure that was never known is not flat. */
export const isFlat = ({ first, last }: Trend, { share, amount }: Slack): boolean =>
  last <= first * (1 + share) + amount;
