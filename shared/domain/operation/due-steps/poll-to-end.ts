import { isTerminal, type Operation } from '../state.ts';
import type { UnsupportedFeatures } from './withdrawals.ts';
import { mayStillAct } from './withdrawals.ts';

/** The facts that decide which attempts are polled until their provider has ended them. */
export type PollToEnd = {
  unsupported: UnsupportedFeatures;
  /** Their providers have ended them. */
  endedByProvider: ReadonlySet<number>;
};

/**
 * The attempts that are polled until their providers have ended them, although the operation has
 * ended: money may still come that no callback reports (R13.17).
 */
export function attemptsToPollToEnd(
  operation: Operation,
  { unsupported, endedByProvider }: PollToEnd,
): number[] {
  const { attempts, accepted, approvedByReview, status } = operation;
  return attempts
    .filter((attempt) => {
      const { provider } = attempt.route;
      if (endedByProvider.has(attempt.attempt)) return false;
      // It should be withdrawn, but its provider can't withdraw.
      if (mayStillAct(operation, attempt)) return unsupported.withdrawal.has(provider);
      if (
        attempt.outcome !== 'accepted' ||
        accepted?.attempt !== attempt.attempt ||
        !isTerminal(status)
      )
        return false;
      // The callback about money that an operator approved may get lost. A provider without
      // callbacks reports nothing after the end.
      return approvedByReview || unsupported.callbacks.has(provider);
    })
    .map(({ attempt }) => attempt);
}
