import { isZero, sum } from '../../money.ts';
import type { OperationEvent } from '../events.ts';
import { findAttempt, isTerminal, type Attempt, type OperationState } from '../state.ts';
import { closing } from './terminal-events.ts';

/** An admin ends an operation that would otherwise stay open for ever (R13.11). */

type CloseOperation = {
  note: string;
  /** The provider reports it as open, and is overruled. */
  forced?: boolean;
  nowIso: string;
};

/**
 * Ends an operation that its provider does not report as open, or whose provider is overruled: with
 * the part of the money that was received, or without any. The provider is polled first, and its
 * answer is in the state. Refused for an operation that has ended, is still being created, or has a
 * receipt under review.
 */
export function closeOperationByHand(
  state: OperationState,
  { note, forced = false, nowIso }: CloseOperation,
): { events: OperationEvent[] } | { refusal: { code: 'close_not_allowed' } } {
  if (state.phase !== 'admitted' || !mayBeClosed(state, nowIso))
    return { refusal: { code: 'close_not_allowed' } };
  const received = sum(state.legs.map((leg) => leg.amount));
  const end = isZero(received) ? 'declined' : 'partially_completed';
  return {
    events: [
      { type: 'CloseDecided', data: { note, ...(forced && { forced }) } },
      closing(state, end, { received, fresh: [], declinedBy: 'close' }),
    ],
  };
}

/** Whether an admin may close it, as far as the gateway itself knows. */
export function mayBeClosed(state: OperationState, nowIso: string): boolean {
  if (state.phase !== 'admitted' || isTerminal(state.status) || state.status === 'creating')
    return false;
  return nowIso >= state.acceptUntil && state.receiptUnderReview === undefined;
}

/** The attempt whose provider is polled before a close: the accepted one, else the newest. */
export function attemptInForce(state: OperationState): Attempt | undefined {
  if (state.phase !== 'admitted') return undefined;
  return state.accepted ? findAttempt(state, state.accepted.attempt) : state.attempts.at(-1);
}
