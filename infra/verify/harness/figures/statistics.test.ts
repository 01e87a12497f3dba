import { describe, expect, it } from 'vitest';
import { median, percentile, spread } from './statistics.ts';

describe('benchmark statistics', () => {
  it.each([
    [[3, 1, 2], { median: 2, min: 1, max: 3 }],
    [[10, 9], { median: 9.5, min: 9, max: 10 }],
    [[7], { median: 7, min: 7, max: 7 }],
    [[], { median: 0, min: 0, max: 0 }],
  ])('have the spread of %j', (figures, expected) => {
    expect(spread(figures)).toEqual(expected);
  });

  it('have no median of an empty list', () => {
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('have a measured value as each percentile', () => {
    const sorted = Float64Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0, 0.5, 0.99, 1].map((share) => percentile(sorted, share))).toEqual([1, 51, 100, 100]);
    expect(percentile(new Float64Array(), 0.5)).toBe(0);
  });
});
