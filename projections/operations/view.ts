import type { OpenedFields } from '#shared/domain/operation/events.ts';
import type { Snapshot } from '#shared/domain/operation/fields/snapshot.ts';
import type { ListedOperation } from './returned.ts';

/**
 * The snapshot of a row, without requisites: no read model holds a number or a name. `opened`: the
 * row's encrypted fields, where they were decrypted.
 */
export const snapshotRow = (row: ListedOperation, opened: OpenedFields = {}): Snapshot => ({
  request: row,
  opened,
  operation_id: row.operation_id,
  merchant_operation_id: row.merchant_operation_id,
  type: row.type,
  status: row.status,
  method: row.method,
  currency: row.currency,
  expected_amount: row.expected_amount,
  actual_amount: row.actual_amount,
  fx_source: row.fx_source,
  fx_rate: row.fx_rate,
  recorded_currency: row.recorded_currency,
  recorded_amount: row.recorded_amount,
  settlement_currency: row.settlement_currency,
  settlement_amount: row.settlement_amount,
  commission_amount: row.commission_amount,
  confirmation_required: row.confirmation_required,
  expires_at: row.expires_at?.toISOString(),
  manual_check_reason: row.manual_check_reason,
  decline_reason: row.decline_reason,
  recipient: {
    ...(row.bankname !== null && { bankname: row.bankname }),
    ...(row.bankname_details !== null && { bankname_details: row.bankname_details }),
  },
  created_at: row.created_at.toISOString(),
  returned_amount: row.returned_amount,
});
