import { compare, fromAmount, isZero, sum, toAmount, type Amount } from '../money.ts';
import type { Leg, OperationEvent } from './events.ts';
import { closing } from './settle.ts';
import type { OperationState } from './state.ts';

/** A payer's receipt and what becomes of it (rules.md, chapter 9). */

export type NewReceipt = { receiptId: string; sha256: string; sizeBytes: number; pdf: boolean };

/**
 * Takes a receipt where one is expected. The same bytes again add nothing, whatever came of them. A file that is no PDF
 * is kept and waits for a person.
 */
export function uploadReceipt(
  state: OperationState,
  { receiptId, sha256, sizeBytes, pdf }: NewReceipt,
): { events: OperationEvent[] } | { refusal: { code: 'confirmation_not_expected' } } {
  const refused = { refusal: { code: 'confirmation_not_expected' } } as const;
  if (state.phase !== 'admitted') return refused;
  if (state.receipts.some((known) => known.sha256 === sha256)) return { events: [] };
  if (state.status !== 'awaiting_confirmation' || state.receiptUnderReview !== undefined) return refused;
  const uploaded: OperationEvent = {
    type: 'ReceiptUploaded',
    data: { receipt_id: receiptId, sha256, size_bytes: sizeBytes, pdf },
  };
  return pdf ? { events: [uploaded] } : { events: [uploaded, notValidated(receiptId)] };
}

/** Whether any file could be taken, be it as one that was taken before: where not, none need be looked at. */
export function mayTakeReceipt(state: OperationState): boolean {
  if (state.phase !== 'admitted') return false;
  return state.receipts.length > 0 || state.status === 'awaiting_confirmation';
}

/**
 * Notes the provider's answer to an upload. One that it does not want can't be reviewed there: a person decides.
 * @returns no events where it is known, or the operation has ended
 */
export function noteSubmitted(
  state: OperationState,
  { receiptId, taken }: { receiptId: string; taken: boolean },
): { events: OperationEvent[] } {
  const owed = receiptToSubmit(state);
  if (state.phase !== 'admitted' || owed !== receiptId || !state.accepted) return { events: [] };
  const { attempt } = state.accepted;
  const noted: OperationEvent = { type: 'ReceiptSubmitted', data: { receipt_id: receiptId, attempt, taken } };
  const forAPerson = !taken && state.status === 'awaiting_confirmation';
  return { events: forAPerson ? [noted, notValidated(receiptId)] : [noted] };
}

/** The receipt that the provider has yet to be given. */
export function receiptToSubmit(state: OperationState): string | undefined {
  if (state.phase !== 'admitted') return undefined;
  const reviewed = state.status === 'awaiting_confirmation' || state.status === 'manual_check';
  const newest = state.receipts.at(-1);
  const owed = reviewed && newest?.receiptId === state.receiptUnderReview && newest?.submitted === false;
  return owed ? newest.receiptId : undefined;
}

function notValidated(receiptId: string): OperationEvent {
  return { type: 'ManualCheckStarted', data: { receipt_id: receiptId, reason: 'not_terminal' } };
}

/** An operator's decision on a receipt (R9.9); time and id are for the money that an approval stands for. */
export type Review = (
  | {
      decision: 'approve';
      /** All the money that came, as the operator saw it. */
      actualAmount: Amount;
      /** More than was expected, too. */
      mayExceed: boolean;
    }
  | { decision: 'decline' }
  | { decision: 'ask_again' }
) & { note: string; legId: string; nowIso: string };

export type ReviewRefusal = {
  /** `amount_below_received`: more money than that is there already. `amount_above_expected`: not this operator's to say. */
  code: 'review_not_allowed' | 'amount_below_received' | 'amount_above_expected';
};

/**
 * Decides on a receipt under manual check: with money the payment is completed, or partially so; `ask_again` only where
 * the receipt could not be read or showed a transfer under way.
 */
export function review(
  state: OperationState,
  given: Review,
): { events: OperationEvent[] } | { refusal: ReviewRefusal } {
  const { decision, note, legId, nowIso } = given;
  const notAllowed = { refusal: { code: 'review_not_allowed' } } as const;
  if (state.phase !== 'admitted' || state.status !== 'manual_check' || !state.receiptUnderReview)
    return notAllowed;
  if (decision === 'ask_again' && state.manualCheckReason !== 'not_terminal') return notAllowed;
  const decided: OperationEvent = {
    type: 'ReviewDecided',
    data: {
      receipt_id: state.receiptUnderReview,
      decision,
      ...(given.decision === 'approve' && { actual_amount: given.actualAmount }),
      note,
    },
  };
  if (given.decision === 'ask_again') return { events: [decided] };
  const received = sum(state.legs.map((leg) => leg.amount));
  if (given.decision === 'decline') {
    const end = isZero(received) ? 'declined' : 'partially_completed';
    return { events: [decided, closing(state, end, { received, fresh: [], declinedBy: 'review' })] };
  }
  const total = given.actualAmount;
  if (compare(total, received) < 0) return { refusal: { code: 'amount_below_received' } };
  if (!given.mayExceed && compare(total, state.request.amount) > 0)
    return { refusal: { code: 'amount_above_expected' } };
  const end = compare(total, state.request.amount) >= 0 ? 'completed' : 'partially_completed';
  const fresh = approvedLeg({ total, received, legId, nowIso });
  return { events: [decided, closing(state, end, { received: total, fresh })] };
}

/** The money that the operator saw and no provider has reported. */
function approvedLeg(given: { total: Amount; received: Amount; legId: string; nowIso: string }): Leg[] {
  const amount = toAmount(fromAmount(given.total).minus(given.received));
  if (isZero(amount)) return [];
  return [{ leg_id: given.legId, amount, completed_at: given.nowIso, file: false, synthetic: true }];
}
