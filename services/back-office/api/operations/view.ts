import { viewOperationRow } from '#projections/operations/view.ts';
import type { ListedOperation } from '#projections/operations/returned.ts';
import type { OperationRow } from '#projections/operations/table.ts';

/**
 * An operation as operators see it (R16.10): the operation object and its routing. While it is
 * still being created, merchants don't see it; here its status is `creating`.
 */
export function viewForOperators(row: ListedOperation) {
  const view = viewOperationRow(row) ?? {
    operation_id: row.operation_id,
    type: row.type,
    status: row.status,
    method: row.method,
    expected_amount: row.expected_amount,
    actual_amount: row.actual_amount,
    currency: row.currency,
  };
  return {
    ...view,
    ...bankOf(row),
    shop_id: row.shop_id,
    merchant_id: row.merchant_id,
    merchant_operation_id: row.merchant_operation_id,
    client_id: row.client_id,
    attempts: row.attempts,
    cancel_reason: row.cancel_reason,
    ...(row.returned_amount !== undefined && { returned_amount: row.returned_amount }),
    created_at: row.created_at.toISOString(),
    accept_until: row.accept_until.toISOString(),
    accepted_at: row.accepted_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
    revision: row.revision,
  };
}

/** As in the operation object: a cancelled payment does not show its bank (R5.13). */
function bankOf({ type, status, bankname, bankname_details }: OperationRow) {
  if (type === 'payment' && status === 'cancelled') return {};
  return {
    ...(bankname !== null && { bankname }),
    ...(bankname_details !== null && { bankname_details }),
  };
}
