import type { End } from '../ends/terminal-events.ts';
import type { OperationEvent } from '../events.ts';
import type { ProviderReport, ReportedReview } from '../reports/report.ts';
import type { Operation } from '../state.ts';

/** The provider's review of a receipt, as its reports have it (R9.6, R9.7). */

/** A receipt that the provider flagged waits for a person, with the reason where one was given. */
export function flagged(state: Operation, review: ReportedReview | undefined): OperationEvent[] {
  if (review?.state !== 'flagged' || review.receiptId !== state.receiptUnderReview) return [];
  const { receiptId, reason } = review;
  const isChange =
    state.status === 'awaiting_confirmation' ||
    (state.status === 'manual_check' && reason !== undefined && reason !== state.manualCheckReason);
  if (!isChange) return [];
  return [
    { type: 'ManualCheckStarted', data: { receipt_id: receiptId, ...(reason && { reason }) } },
  ];
}

/** The end of the window does not end a payment whose receipt is still under review (R6.7). */
export const isUndecided = (
  state: Operation,
  { report, end }: { report: ProviderReport; end: End },
): boolean =>
  (report.status === 'expired' || report.status === 'withdrawn') &&
  end !== 'completed' &&
  state.receiptUnderReview !== undefined;

/** The provider will not decide any more, so an operator does. */
export function unreviewed({ status, receiptUnderReview }: Operation): OperationEvent[] {
  if (status !== 'awaiting_confirmation' || receiptUnderReview === undefined) return [];
  return [
    {
      type: 'ManualCheckStarted',
      data: { receipt_id: receiptUnderReview, reason: 'not_terminal' },
    },
  ];
}
