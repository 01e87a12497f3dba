import { expect, it } from 'vitest';
import { dueInMs } from './due.ts';

const day = 86_400_000;
const last = { endedMs: 1_000_000, failed: false };

it.each<[string, Parameters<typeof dueInMs>, number]>([
  ['no audit yet', [undefined, day, 5], 0],
  ['one has just ended', [last, day, last.endedMs], day],
  ['half of the interval has passed', [last, day, last.endedMs + day / 2], day / 2],
  ['the last one ended a week ago', [last, day, last.endedMs + 7 * day], 0],
  ['the last one failed', [{ ...last, failed: true }, day, last.endedMs], day / 10],
  [
    'the last one failed, a tenth is below the minimum',
    [{ ...last, failed: true }, 70_000, last.endedMs],
    60_000,
  ],
  [
    'the last one failed, the interval is below the minimum',
    [{ ...last, failed: true }, 5_000, last.endedMs],
    5_000,
  ],
  ['recorded by a clock that is ahead', [last, day, last.endedMs - 3 * day], day],
])('returns the time until the next audit: %s (R18.13)', (_what, input, due) => {
  expect(dueInMs(...input)).toBe(due);
});
