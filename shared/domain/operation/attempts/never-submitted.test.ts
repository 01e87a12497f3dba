import { expect, test } from 'vitest';
import { accepted, admitted, given, started } from '../testing/given.ts';
import { declined, requested, reserved, unresolved } from '../testing/payouts.ts';
import { neverArrived, recordNeverReceived, recordNotFound } from './never-submitted.ts';

const payout = () =>
  given(admitted({ type: 'payout' }), started(), requested(), reserved(), unresolved);
const state = payout().state;
const { acceptUntil } = state.phase === 'admitted' ? state : { acceptUntil: '' };
const before = (iso: string) => iso.replace(/\d\.\d{3}Z$/, '0.000Z');

test('“not found” does not refuse a submission that may still arrive (R7.15)', () => {
  expect(before(acceptUntil) < acceptUntil).toBe(true);
  for (const arrivedUntilIso of [before(acceptUntil), undefined])
    payout().when(recordNotFound, { attempt: 1, arrivedUntilIso }).thenNothing();
});

test('“not found” declines a payout whose submission can no longer arrive (R7.15)', () => {
  expect(neverArrived(state, { attempt: 1, arrivedUntilIso: acceptUntil })).toBe(true);
  payout()
    .when(recordNotFound, { attempt: 1, arrivedUntilIso: acceptUntil })
    .thenEvents(
      { type: 'AttemptRefused', data: { attempt: 1, reason: 'never_arrived' } },
      declined('provider'),
    );
});

test('“not found” never refuses an accepted attempt', () => {
  const open = given(admitted(), started(), accepted());
  const notFound = { attempt: 1, arrivedUntilIso: '2100-01-01T00:00:00.000Z' };
  expect(neverArrived(open.state, notFound)).toBe(false);
  open.when(recordNotFound, notFound).thenNothing();
});

test('a payment that moved on keeps its route; the lost attempt is recorded as withdrawn', () => {
  const moved = given(admitted(), started(), unresolved, started(2), accepted(2));
  const notFound = { attempt: 1, arrivedUntilIso: acceptUntil };
  expect(neverArrived(moved.state, notFound)).toBe(true);
  const withdrawn = moved
    .when(recordNotFound, notFound)
    .thenEvents({ type: 'AttemptWithdrawn', data: { attempt: 1 } });
  withdrawn.when(recordNotFound, notFound).thenNothing();
});

test('a lost attempt of a terminal operation is recorded as withdrawn', () => {
  given(admitted(), started(), unresolved, declined('acceptance_timeout'))
    .when(recordNeverReceived, { attempt: 1, reason: 'never_submitted' })
    .thenEvents({ type: 'AttemptWithdrawn', data: { attempt: 1 } });
});

test('an accepted attempt does not change if its provider no longer finds it', () => {
  given(admitted(), started(), accepted())
    .when(recordNeverReceived, { attempt: 1, reason: 'never_submitted' })
    .thenNothing();
});
