import { expect, it } from 'vitest';
import { arrivedUntil } from './facts.ts';

const nowMs = Date.parse('2026-01-31T12:00:00.000Z');

it('waits the allowed clock skew before a submission can no longer arrive (R7.15)', () => {
  const submissions = { repeatable: false, mayArriveForMs: 60_000 } as const;
  expect(arrivedUntil({ submissions }, nowMs)).toBe('2026-01-31T11:54:00.000Z');
  const exact = { ...submissions, clockSkewMs: 0 };
  expect(arrivedUntil({ submissions: exact }, nowMs)).toBe('2026-01-31T11:59:00.000Z');
  expect(arrivedUntil({ submissions: { repeatable: true } }, nowMs)).toBeUndefined();
});
