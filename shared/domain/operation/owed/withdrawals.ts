import type { OperationEvent } from '../events.ts';
import { isTerminal, type Operation, type OperationState } from '../state.ts';

/**
 * The attempts that a provider may still act on although the operation no longer needs them
 * (R7.11).
 */
export function attemptsToWithdraw(state: Operation): number[] {
  return state.attempts
    .filter(({ attempt, outcome, dispatched }) => {
      // Closed by hand: the provider is to stop, whatever it was doing.
      if (state.closedByHand && (outcome === 'accepted' || outcome === 'unresolved')) return true;
      if (outcome === 'unresolved') return state.type === 'payment';
      if (outcome === 'accepted')
        return state.accepted?.attempt !== attempt || state.status === 'cancelled' || state.declinedByReview;
      // A process died while it waited for the answer, and the operation was cancelled or rejected
      // then.
      return outcome === 'started' && dispatched && isTerminal(state.status);
    })
    .map(({ attempt }) => attempt);
}

/** Notes that a provider confirmed the withdrawal. */
export function noteWithdrawal(state: OperationState, attempt: number): { events: OperationEvent[] } {
  if (state.phase !== 'admitted') return { events: [] };
  return attemptsToWithdraw(state).includes(attempt)
    ? { events: [{ type: 'AttemptWithdrawn', data: { attempt } }] }
    : { events: [] };
}
