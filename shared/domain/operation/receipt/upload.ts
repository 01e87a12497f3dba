import type { OperationEvent } from '../events.ts';
import type { OperationState } from '../state.ts';

/** A payer's receipt: received from the payer, and sent to the provider (rules.md, chapter 9). */

/** The largest receipt, and the largest proof of a transfer (R9.3): more is 413. */
export const maxReceiptBytes = 10 * 1024 * 1024;

/** PDF readers search this many bytes for the header; some files have a few bytes before it. */
const pdfHeaderWithinBytes = 1024;

/** Whether the content is a PDF, whatever name or type was sent with it (R9.3). */
export function isPdf(content: Uint8Array): boolean {
  return Buffer.from(content.subarray(0, pdfHeaderWithinBytes)).includes('%PDF-');
}

export type NewReceipt = { receiptId: string; sha256: string; sizeBytes: number; pdf: boolean };

/**
 * Records a receipt if one is expected. The same bytes again add no events, whatever was decided on
 * them. A file that is not a PDF is stored and waits for a manual review.
 */
export function uploadReceipt(
  state: OperationState,
  { receiptId, sha256, sizeBytes, pdf }: NewReceipt,
): { events: OperationEvent[] } | { refusal: { code: 'confirmation_not_expected' } } {
  const refused = { refusal: { code: 'confirmation_not_expected' } } as const;
  if (state.phase !== 'admitted') return refused;
  if (state.receipts.some((receipt) => receipt.sha256 === sha256)) return { events: [] };
  if (state.status !== 'awaiting_confirmation' || state.receiptUnderReview !== undefined)
    return refused;
  const uploaded: OperationEvent = {
    type: 'ReceiptUploaded',
    data: { receipt_id: receiptId, sha256, size_bytes: sizeBytes, pdf },
  };
  return pdf ? { events: [uploaded] } : { events: [uploaded, notValidated(receiptId)] };
}

/** Whether any file, new or repeated, could be accepted; if not, the upload is not read. */
export function mayTakeReceipt(state: OperationState): boolean {
  if (state.phase !== 'admitted') return false;
  return state.receipts.length > 0 || state.status === 'awaiting_confirmation';
}

/**
 * Notes the provider's answer to an upload. A receipt that the provider does not accept can't be
 * reviewed there: a person decides.
 * @returns no events where the answer is known already, or the operation has ended
 */
export function noteSubmitted(
  state: OperationState,
  { receiptId, isAccepted }: { receiptId: string; isAccepted: boolean },
): { events: OperationEvent[] } {
  const pendingId = receiptToSubmit(state);
  if (state.phase !== 'admitted' || pendingId !== receiptId || !state.accepted)
    return { events: [] };
  const { attempt } = state.accepted;
  const noted: OperationEvent = {
    type: 'ReceiptSubmitted',
    data: { receipt_id: receiptId, attempt, taken: isAccepted },
  };
  const forAPerson = !isAccepted && state.status === 'awaiting_confirmation';
  return { events: forAPerson ? [noted, notValidated(receiptId)] : [noted] };
}

/** The receipt that is still to be sent to the provider. */
export function receiptToSubmit(state: OperationState): string | undefined {
  if (state.phase !== 'admitted') return undefined;
  const reviewed = state.status === 'awaiting_confirmation' || state.status === 'manual_check';
  const newest = state.receipts.at(-1);
  const isPending =
    reviewed && newest?.receiptId === state.receiptUnderReview && newest?.submitted === false;
  return isPending ? newest.receiptId : undefined;
}

function notValidated(receiptId: string): OperationEvent {
  return { type: 'ManualCheckStarted', data: { receipt_id: receiptId, reason: 'not_terminal' } };
}
