import { expect, it } from 'vitest';
import { addSparse, addTo, clear, createHistogram, percentileOf, toSparse } from './histogram.ts';

it('tells percentiles to 2 %, never too low', () => {
  const histogram = createHistogram();
  for (let ms = 1; ms <= 1_000; ms += 1) addTo(histogram, ms);
  for (const share of [0.01, 0.5, 0.95, 0.99, 1]) {
    const exact = share * 1_000;
    expect(percentileOf(histogram, share)).toBeGreaterThanOrEqual(exact * 0.999_999);
    expect(percentileOf(histogram, share)).toBeLessThanOrEqual(exact * 1.0201);
  }
});

it('keeps what is shorter or longer than its buckets in the first and the last', () => {
  const histogram = createHistogram();
  addTo(histogram, 0);
  expect(percentileOf(histogram, 0.5)).toBeCloseTo(0.05);
  addTo(histogram, 10_000_000);
  expect(histogram.total).toBe(2);
  expect(percentileOf(histogram, 1)).toBeGreaterThan(100_000);
});

it('has no percentile of nothing', () => {
  expect(percentileOf(createHistogram(), 0.5)).toBeNaN();
});

it('adds up what was sent by parts', () => {
  const [part, whole] = [createHistogram(), createHistogram()];
  for (const ms of [1, 5, 5, 80]) {
    addTo(part, ms);
    addSparse(whole, toSparse(part));
    clear(part);
  }
  expect(whole.total).toBe(4);
  expect(percentileOf(whole, 0.75)).toBeCloseTo(5, 0);
  expect(toSparse(part)).toEqual([]);
});
