import { isZero } from '#shared/domain/money.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';

export type ReceiptItem = {
  id: string;
  /** An exact decimal, written into the JSON as it is: a double would round it. */
  amount: unknown;
  completed_at: string;
  receipt_url: string | null;
};

export type ReceiptEvidence = {
  receipt_evidence_status: 'not_ready' | 'partial' | 'complete' | 'unavailable';
  receipts: ReceiptItem[];
};

/**
 * The money behind an operation, one item a physical contribution, by time and then id (specification 4.5). Nothing
 * before the end, and nothing after an end without money.
 */
export function receiptEvidence(operation: Operation): ReceiptEvidence {
  if (!isTerminal(operation.status)) return { receipt_evidence_status: 'not_ready', receipts: [] };
  if (isZero(operation.settled?.actual_amount ?? '0.00'))
    return { receipt_evidence_status: 'complete', receipts: [] };
  const receipts = operation.legs
    .map((leg) => ({
      id: leg.leg_id,
      amount: JSON.rawJSON(leg.amount),
      completed_at: leg.completed_at,
      receipt_url: null,
    }))
    .toSorted(
      (left, right) => compareText(left.completed_at, right.completed_at) || compareText(left.id, right.id),
    );
  return { receipt_evidence_status: 'complete', receipts };
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
