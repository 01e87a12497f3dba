import type { OperationEvent } from '../events.ts';
import { isTerminal, type Attempt, type Operation, type OperationState } from '../state.ts';

/** What providers can't do, by name; it comes with the command, from their connectors. */
export type UnsupportedFeatures = {
  /** They send no callbacks, so they are polled. */
  callbacks: ReadonlySet<string>;
  /** They can't withdraw an attempt, so they are polled until it has ended. */
  withdrawal: ReadonlySet<string>;
};

export const allSupported: UnsupportedFeatures = { callbacks: new Set(), withdrawal: new Set() };

/**
 * The attempts that a provider may still act on although the operation no longer needs them: it is
 * asked to withdraw them, if it can (R7.11).
 */
export function attemptsToWithdraw(
  state: Operation,
  { withdrawal }: Pick<UnsupportedFeatures, 'withdrawal'> = allSupported,
): number[] {
  return state.attempts
    .filter((attempt) => mayStillAct(state, attempt) && !withdrawal.has(attempt.route.provider))
    .map(({ attempt }) => attempt);
}

/** Whether a provider may still act on an attempt that is no longer needed. */
export function mayStillAct(state: Operation, { attempt, outcome, dispatched }: Attempt): boolean {
  // Closed by hand: the provider must stop in any case.
  if (state.closedByHand && (outcome === 'accepted' || outcome === 'unresolved')) return true;
  if (outcome === 'unresolved') return state.type === 'payment';
  if (outcome === 'accepted')
    return (
      state.accepted?.attempt !== attempt || state.status === 'cancelled' || state.declinedByReview
    );
  // A process died while it waited for the answer, and the operation was cancelled or rejected
  // then.
  return outcome === 'started' && dispatched && isTerminal(state.status);
}

/** Records that a provider confirmed the withdrawal. */
export function noteWithdrawal(
  state: OperationState,
  attempt: number,
): { events: OperationEvent[] } {
  if (state.phase !== 'admitted') return { events: [] };
  return attemptsToWithdraw(state).includes(attempt)
    ? { events: [{ type: 'AttemptWithdrawn', data: { attempt } }] }
    : { events: [] };
}
