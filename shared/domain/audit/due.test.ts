import { expect, it } from 'vitest';
import { dueInMs } from './due.ts';

const day = 86_400_000;
const last = { endedMs: 1_000_000, failed: false };

it.each<[string, Parameters<typeof dueInMs>, number]>([
  ['none ran so far', [undefined, day, 5], 0],
  ['one has just run', [last, day, last.endedMs], day],
  ['half of the time has gone', [last, day, last.endedMs + day / 2], day / 2],
  ['it was not there for a week', [last, day, last.endedMs + 7 * day], 0],
  ['it failed', [{ ...last, failed: true }, day, last.endedMs], day / 10],
  ['it failed, often', [{ ...last, failed: true }, 70_000, last.endedMs], 60_000],
  ['it failed, more often than that', [{ ...last, failed: true }, 5_000, last.endedMs], 5_000],
  ['its record is of a clock that is ahead', [last, day, last.endedMs - 3 * day], day],
])('the next audit is due if %s (R18.13)', (_what, given, due) => {
  expect(dueInMs(...given)).toBe(due);
});
