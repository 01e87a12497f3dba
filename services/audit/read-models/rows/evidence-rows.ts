import { hashToUuid } from '#shared/application/receipts/uuid.ts';
import type { OperationFacts } from '../../log/operation/fold.ts';
import { parseExactMinor } from '../../log/operation/exact-arithmetic.ts';
import { legRows, type OperationRows } from './operation-rows.ts';

/**
 * The rows of gateway.evidence and gateway.receipts for an operation whose legs are its evidence.
 * Otherwise they come from the provider's answer.
 */
export function evidenceRows(rows: OperationRows, facts: OperationFacts) {
  const { end, shopId, operationId } = facts;
  if (end?.evidence !== 'legs') return undefined;
  const receipts = legRows(rows, facts)
    .filter(({ amount }) => parseExactMinor(amount) !== 0n)
    .map(({ leg_id, attempt, provider, amount, completed_at, file, synthetic }) => {
      const receipt_id = deriveReceiptId(operationId, leg_id);
      const item = { receipt_id, leg_id, attempt, provider, amount, completed_at, synthetic };
      return { operation_id: operationId, ...item, file: file && !synthetic };
    })
    .toSorted(
      (left, right) =>
        left.completed_at - right.completed_at || (left.receipt_id < right.receipt_id ? -1 : 1),
    )
    .map((row, index) => ({ ...row, number: index + 1 }));
  const { atMs: materialised_at, revision, position } = end;
  const status = receipts.some(({ synthetic }) => synthetic) ? 'partial' : 'complete';
  const counted = { receipts_count: receipts.length, materialised_at, revision, position };
  return { evidence: { operation_id: operationId, shop_id: shopId, status, ...counted }, receipts };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const deriveReceiptId = (operationId: string, legId: string): string =>
  uuid.test(legId) ? legId : hashToUuid(JSON.stringify([operationId, legId]));
