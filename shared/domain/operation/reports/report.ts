import type { Leg, ManualCheckReason, ReturnedMoney } from '../events.ts';
import { isTerminal, type Operation } from '../state.ts';

/**
 * All that a provider knows about an attempt. Every report is complete, so a duplicate, a late one
 * or one out of order adds nothing.
 */
export type ProviderReport = {
  attempt: number;
  /**
   * Higher in a newer report. Without versions the order is unknown, so legs are only added.
   */
  version?: number | undefined;
  status: 'open' | 'completed' | 'partially_completed' | 'declined' | 'expired' | 'withdrawn';
  /**
   * All money received for this attempt, oldest first. A leg's id must be unique among the
   * operation's attempts at one account: a connector whose provider counts from 1 in every attempt
   * puts the attempt before it.
   */
  legs: readonly Leg[];
  /**
   * All returns, oldest first, each with an id that is unique in the operation. The legs have their
   * original amounts: only this list has the returned part.
   */
  returns?: readonly ReturnedMoney[] | undefined;
  /** The provider has ended the attempt, but polling continues: money may still be returned. */
  mayReturn?: true | undefined;
  /** The legs are all the evidence that the provider has: no more is requested. */
  evidence?: 'legs' | undefined;
  /** The review of the newest receipt that was submitted to the provider. */
  review?: ReportedReview | undefined;
};

export type ReportedReview = {
  receiptId: string;
  state: 'waiting' | 'approved' | 'flagged' | 'declined';
  reason?: ManualCheckReason | undefined;
};

/**
 * Whether the operation is open and the attempt is the accepted one. A report of any other attempt
 * is a late fact.
 */
export const isAcceptedAndOpen = (state: Operation, attempt: number): boolean =>
  state.accepted?.attempt === attempt && !isTerminal(state.status);

/** Whether a newer report was applied already. */
export const isOvertaken = (
  state: Operation,
  { attempt, version }: Pick<ProviderReport, 'attempt' | 'version'>,
): boolean =>
  state.accepted?.attempt === attempt &&
  version !== undefined &&
  version < (state.reportVersion ?? version);
