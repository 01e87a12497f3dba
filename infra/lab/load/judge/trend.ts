import { median } from '#infra/verify/harness/figures/statistics.ts';

/** A point in time, in seconds, and a figure. */
export type Point = readonly [seconds: number, value: number];

/** The most points that are compared in pairs: some 80,000 pairs. */
const mostPoints = 400;

/**
 * The Theil–Sen slope, the median of the slopes between all pairs of points, by the second: robust
 * against outliers such as a garbage collection or a stall of the disk. NaN is left out.
 */
export function computeSlope(points: readonly Point[]): number {
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
 * The trend of a figure: its medians in the first and the last third of the time, and its slope by
 * the hour.
 */
type Trend = { readonly first: number; readonly last: number; readonly perHour: number };

export function computeTrend(points: readonly Point[]): Trend {
  const known = points.filter(([, value]) => Number.isFinite(value));
  const third = Math.floor(known.length / 3);
  const values = known.map(([, value]) => value);
  return {
    first: median(values.slice(0, third)),
    last: median(values.slice(values.length - third)),
    perHour: computeSlope(known) * 3_600,
  };
}

/**
 * The growth from the first third to the last that still counts as flat: a share, and an amount.
 */
export type Slack = { readonly share: number; readonly amount: number };

/** Whether it is flat. A figure that was never known is not. */
export const isFlat = ({ first, last }: Trend, { share, amount }: Slack): boolean =>
  last <= first * (1 + share) + amount;
