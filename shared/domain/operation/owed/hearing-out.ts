import { isTerminal, type Operation } from '../state.ts';
import type { Lacking } from './lacking.ts';
import { mayStillAct } from './withdrawals.ts';

/** What decides which attempts are heard out. */
export type HearingOut = {
  lacking: Lacking;
  /** Their providers have ended them. */
  heardOut: ReadonlySet<number>;
};

/**
 * The attempts whose providers are asked until they have ended them, although the operation itself
 * waits for nothing: money may come that nobody else would tell of (R13.17).
 */
export function attemptsToHearOut(operation: Operation, { lacking, heardOut }: HearingOut): number[] {
  const { attempts, accepted, approvedByReview, status } = operation;
  return attempts
    .filter((attempt) => {
      const { provider } = attempt.route;
      if (heardOut.has(attempt.attempt)) return false;
      // Its provider would be told to stop, and can't be.
      if (mayStillAct(operation, attempt)) return lacking.withdrawal.has(provider);
      if (attempt.outcome !== 'accepted' || accepted?.attempt !== attempt.attempt || !isTerminal(status))
        return false;
      // The callback that brings what an operator approved may get lost; where there are none,
      // nothing at all is told after the end.
      return approvedByReview || lacking.callbacks.has(provider);
    })
    .map(({ attempt }) => attempt);
}
