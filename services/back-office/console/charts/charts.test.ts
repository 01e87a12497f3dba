import { expect, test } from 'vitest';
import { durationTicks, linearTicks } from './scale.ts';

test.each([
  [0, [0, 1]],
  [3, [0, 1, 2, 3]],
  [72, [0, 20, 40, 60, 80]],
  [100, [0, 50, 100]],
  [12_345, [0, 5_000, 10_000, 15_000]],
])('linear ticks up to %d are round', (max, ticks) => {
  expect(linearTicks(max)).toEqual(ticks);
});

test.each([
  [0.2, 0.6],
  [0.001, 0.004],
  [1, 90_000],
  [5, 5],
  [1_000_000, 2_000_000],
])('durations from %d to %d have two to seven ascending ticks', (min, max) => {
  const ticks = durationTicks(min, max);
  expect(ticks.length).toBeGreaterThanOrEqual(2);
  expect(ticks.length).toBeLessThanOrEqual(7);
  expect(ticks.toSorted((left, right) => left - right)).toEqual(ticks);
  expect(new Set(ticks).size).toBe(ticks.length);
});
