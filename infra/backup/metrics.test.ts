import { expect, it } from 'vitest';
import { backupAgeMs, whyBehind } from './metrics.ts';

const totals = { position: 0, events: 0, bytes: 0 };
const began = { totals, completeMs: undefined, sinceMs: 1_000, failures: 0 };

it('counts the age of a copy from when it was complete, or else from its newest object (R26.7)', () => {
  expect(backupAgeMs(began, 5_000)).toBe(4_000);
  expect(backupAgeMs({ ...began, completeMs: 4_500 }, 5_000)).toBe(500);
});

it('is ready while the copy is complete and less than a minute old (R26.7)', () => {
  expect(whyBehind(began, 5_000)).toBe('the copy is not complete yet');
  expect(whyBehind({ ...began, completeMs: 5_000 }, 65_000)).toBeUndefined();
  expect(whyBehind({ ...began, completeMs: 5_000 }, 65_001)).toBe('the copy is 60.0 s old');
});
