import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import { isZero } from '#shared/domain/money.ts';
import type { Evidence } from '#shared/domain/evidence/events.ts';
import type { ReceiptEvidence } from '#shared/api/bodies/receipt-evidence.ts';
import type { ReceiptLinks } from '#shared/application/receipts/links.ts';

/**
 * The receipts known without polling a provider: none before the end or after an end without money.
 */
export function evidenceWithoutMoney(operation: Operation): ReceiptEvidence | undefined {
  if (!isTerminal(operation.status)) return { receipt_evidence_status: 'not_ready', receipts: [] };
  return isZero(operation.settled?.actual_amount ?? '0.00')
    ? { receipt_evidence_status: 'complete', receipts: [] }
    : undefined;
}

/** The money of an operation: one item for each transfer, by time and then id (R10.3). */
export function viewEvidence(
  evidence: Evidence,
  links: Pick<ReceiptLinks, 'urlOf'>,
): ReceiptEvidence {
  const receipts = evidence.items
    .map((item) => ({
      id: item.receipt_id,
      amount: JSON.rawJSON(item.amount),
      completed_at: item.completed_at,
      receipt_url: item.file ? links.urlOf(evidence.operation_id, item.receipt_id) : null,
    }))
    .toSorted(
      (left, right) =>
        compareText(left.completed_at, right.completed_at) || compareText(left.id, right.id),
    );
  return { receipt_evidence_status: evidence.status, receipts };
}

/**
 * The same after the client's personal data is erased: the amounts, without the files, which show
 * who sent the money.
 */
export const withoutFiles = ({ receipts, ...evidence }: ReceiptEvidence): ReceiptEvidence => ({
  ...evidence,
  receipts: receipts.map((receipt) => ({ ...receipt, receipt_url: null })),
});

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
