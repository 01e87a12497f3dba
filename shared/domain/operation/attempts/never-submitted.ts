import type { OperationEvent } from '../events.ts';
import { noteWithdrawal } from '../due-steps/withdrawals.ts';
import { findAttempt, type OperationState } from '../state.ts';
import { recordAnswer } from './provider-answer.ts';

/**
 * An attempt that its provider does not find. `arrivedUntilIso`: what was sent until then has
 * arrived by now or never will; undefined if the provider gives no such time.
 */
type NotFound = { attempt: number; arrivedUntilIso: string | undefined };

/**
 * Whether an attempt that its provider does not find was never submitted, and never will be
 * (R7.15). Nothing is sent after the acceptance wait. An accepted attempt never is one, because a
 * provider may lose sight of what it has.
 */
export function neverArrived(
  state: OperationState,
  { attempt, arrivedUntilIso }: NotFound,
): boolean {
  if (state.phase !== 'admitted' || arrivedUntilIso === undefined) return false;
  return (
    findAttempt(state, attempt)?.outcome !== 'accepted' && state.acceptUntil <= arrivedUntilIso
  );
}

/** Records that an attempt never arrived; before that is certain it adds no event. */
export function recordNotFound(
  state: OperationState,
  notFound: NotFound,
): { events: OperationEvent[] } {
  if (!neverArrived(state, notFound)) return { events: [] };
  return recordNeverReceived(state, { attempt: notFound.attempt, reason: 'never_arrived' });
}

/**
 * Records a refusal for an attempt that the provider never received, and never will. If its answer
 * is no longer awaited, it needs no withdrawal, and does not count towards its route's daily limit
 * (R7.17).
 */
export function recordNeverReceived(
  state: OperationState,
  { attempt, reason }: { attempt: number; reason: 'never_arrived' | 'never_submitted' },
): { events: OperationEvent[] } {
  const answer = { outcome: 'refused', reason } as const;
  const decision = recordAnswer(state, { attempt, answer, routes: [], timeIsUp: true });
  return 'events' in decision ? decision : noteWithdrawal(state, attempt);
}
