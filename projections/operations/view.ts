import { isZero } from '#shared/domain/money.ts';
import { isTerminal } from '#shared/domain/operation/state.ts';
import type { OperationView } from '#shared/domain/operation/view.ts';
import type { OperationRow } from './table.ts';

/**
 * Fields that only the operation's stream has, or that are sealed: no read model holds requisites
 * or destinations.
 */
type OnlyInStream =
  | 'metadata'
  | 'number'
  | 'name'
  | 'bankname'
  | 'bankname_details'
  | 'transfer_purpose';

/**
 * The operation object (R5.1) of a row, without requisites. Undefined while it is still being
 * created, as in `viewOperation`.
 */
export function viewOperationRow(row: OperationRow): Omit<OperationView, OnlyInStream> | undefined {
  const { status } = row;
  if (status === 'creating') return undefined;
  const shown = status !== 'cancelled';
  return {
    operation_id: row.operation_id,
    type: row.type,
    status,
    method: row.method,
    expected_amount: row.expected_amount,
    actual_amount: row.actual_amount,
    currency: row.currency,
    ...(row.fx_source !== null &&
      (row.fx_rate !== null || !isTerminal(status)) && { fx_source: row.fx_source }),
    ...(row.fx_rate !== null && { fx_rate: row.fx_rate }),
    ...(row.recorded_currency !== null &&
      row.recorded_amount !== null &&
      !isZero(row.actual_amount) && {
        recorded_currency: row.recorded_currency,
        recorded_amount: row.recorded_amount,
      }),
    ...(row.settlement_amount !== null &&
      row.commission_amount !== null && {
        settlement_amount: row.settlement_amount,
        commission_amount: row.commission_amount,
      }),
    settlement_currency: row.settlement_currency,
    ...(shown &&
      row.confirmation_required && {
        external_confirmation: { required: true, methods: ['receipt'] },
      }),
    ...(shown && row.expires_at && { expires_at: row.expires_at.toISOString() }),
    ...(status === 'manual_check' && {
      manual_check_reason: row.manual_check_reason ?? 'potential_fake',
    }),
    ...(row.decline_reason !== null && { decline_reason: row.decline_reason }),
  };
}
