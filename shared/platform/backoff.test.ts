import { expect, it } from 'vitest';
import { backoffMs, jittered } from './backoff.ts';

it('doubles the pause with each failure, up to the longest', () => {
  const pauses = [0, 1, 2, 3, 4, 1_000].map((failures) =>
    backoffMs(failures, { firstMs: 100, longestMs: 1_000 }),
  );
  expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000]);
});

it('jitters a pause by up to a fifth in both directions', () => {
  expect([0, 0.5, 1].map((random) => Math.round(jittered(1_000, random)))).toEqual([
    800, 1_000, 1_200,
  ]);
});
