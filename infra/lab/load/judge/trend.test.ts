import { expect, it } from 'vitest';
import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { isFlat, computeSlope, computeTrend, type Point } from './trend.ts';

const series = (count: number, value: (second: number) => number): Point[] =>
  Array.from({ length: count }, (_, second) => [second, value(second)]);

it('finds a slope through noise and outliers', () => {
  const random = createRandom(5);
  const points = series(300, (second) => {
    if (second % 10 === 0) return 100_000;
    return 40 + 0.5 * second + random.between(-3, 3);
  });
  expect(computeSlope(points)).toBeCloseTo(0.5, 1);
});

it('finds no slope without a change, or without values', () => {
  expect(computeSlope(series(50, () => 7))).toBe(0);
  expect(computeSlope([])).toBe(0);
  expect(computeSlope(series(50, () => Number.NaN))).toBe(0);
});

it('finds the slope of a long series', () => {
  expect(computeSlope(series(10_000, (second) => second * 2))).toBeCloseTo(2);
});

it('compares the last third with the first', () => {
  const trend = computeTrend(series(900, (second) => 100 + second / 36));
  expect(trend.first).toBeCloseTo(104, 0);
  expect(trend.last).toBeCloseTo(121, 0);
  expect(trend.perHour).toBeCloseTo(100);
  expect(isFlat(trend, { share: 0.1, amount: 0 })).toBe(false);
  expect(isFlat(trend, { share: 0.1, amount: 8 })).toBe(true);
});

it('judges a sawtooth to be flat, but not an empty series', () => {
  const saw = computeTrend(series(900, (second) => 100 + (second % 30)));
  expect(isFlat(saw, { share: 0.05, amount: 0 })).toBe(true);
  expect(isFlat(computeTrend([]), { share: 1, amount: 100 })).toBe(false);
});
