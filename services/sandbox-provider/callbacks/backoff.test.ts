import { expect, it } from 'vitest';
import { retryDelayMs } from './backoff.ts';

it('doubles the delay up to 3 s plus jitter, and gives up after a week', () => {
  const delays = [1, 2, 3, 7, 500].map((deliveries) => retryDelayMs({ deliveries, ageMs: 0 }, 0.5));
  expect(delays).toEqual([100, 200, 400, 3_000, 3_000]);
  expect(retryDelayMs({ deliveries: 9, ageMs: 0 }, 1)).toBe(3_600);
  expect(retryDelayMs({ deliveries: 9, ageMs: 8 * 86_400_000 }, 0)).toBeUndefined();
});
