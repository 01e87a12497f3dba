import type { Leg, ManualCheckReason, Returned } from '../events.ts';
import { isTerminal, type Operation } from '../state.ts';

/**
 * Everything that a provider knows of an attempt. Every report is complete, so one that comes
 * twice, late or out of order adds nothing.
 */
export type ProviderReport = {
  attempt: number;
  /**
   * A newer report has a higher one. Without versions it is not known which is newer: legs are
   * only added.
   */
  version?: number | undefined;
  status: 'open' | 'completed' | 'partially_completed' | 'declined' | 'expired' | 'withdrawn';
  /**
   * All money that came for this attempt, oldest first. A leg's id must be unique among the
   * operation's attempts at one account: a connector whose provider counts from 1 in every attempt
   * puts the attempt before it.
   */
  legs: readonly Leg[];
  /**
   * All that went back, oldest first, each under an id that nothing else of the operation has. The
   * legs stay as they came: what of them went back is said here alone.
   */
  returns?: readonly Returned[] | undefined;
  /** The provider has ended the attempt, but is polled on: money may still go back. */
  mayReturn?: true | undefined;
  /** The legs are all the evidence that the provider has: it is not asked for more. */
  evidence?: 'legs' | undefined;
  /** The review of the newest receipt that the provider was given. */
  review?: ReportedReview | undefined;
};

export type ReportedReview = {
  receiptId: string;
  state: 'waiting' | 'approved' | 'flagged' | 'declined';
  reason?: ManualCheckReason | undefined;
};

/**
 * Whether the operation is still open and the attempt is the accepted one. What is reported of any
 * other attempt comes too late.
 */
export const goesBy = (state: Operation, attempt: number): boolean =>
  state.accepted?.attempt === attempt && !isTerminal(state.status);

/** Whether a newer report was applied already. */
export const isOvertaken = (
  state: Operation,
  { attempt, version }: Pick<ProviderReport, 'attempt' | 'version'>,
): boolean =>
  state.accepted?.attempt === attempt &&
  version !== undefined &&
  version < (state.reportVersion ?? version);
