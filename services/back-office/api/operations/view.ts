import { snapshotRow } from '#projections/operations/view.ts';
import type { ListedOperation } from '#projections/operations/returned.ts';
import { operationObject } from '#shared/domain/operation/fields/derive.ts';

/**
 * An operation as operators see it (R16.10): the operation object and its routing. While it is
 * still being created, merchants don't see it; here its status is `creating`.
 */
export function viewForOperators(row: ListedOperation) {
  return {
    ...operationObject('operators', snapshotRow(row)),
    status: row.status,
    shop_id: row.shop_id,
    merchant_id: row.merchant_id,
    attempts: row.attempts,
    cancel_reason: row.cancel_reason,
    accept_until: row.accept_until.toISOString(),
    accepted_at: row.accepted_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
    revision: row.revision,
  };
}
