import { isZero } from '#shared/domain/money.ts';
import type { CounterpartOperation } from './statements.ts';

/** An operation as a merchant sees it. */
export const counterpartOperation = (row: CounterpartOperation) => ({
  operation_id: row.operation_id,
  type: row.type,
  status: row.status === 'new' ? 'pending' : row.status,
  method: row.method,
  currency: row.currency,
  expected_amount: row.amount,
  actual_amount: row.actual_amount,
  ...(!isZero(row.actual_amount) && {
    recorded_amount: row.actual_amount,
    recorded_currency: row.currency,
  }),
  settlement_amount: row.settlement_amount,
  settlement_currency: row.currency,
  commission_amount: row.commission_amount,
  ...row.requisites,
});

/** The same without the fields that webhooks leave out. */
export function webhookObject(row: CounterpartOperation) {
  const { number: _, name: __, ...shown } = counterpartOperation(row);
  return { ...shown, merchant_operation_id: row.merchant_operation_id };
}

export const isOver = ({ status }: CounterpartOperation): boolean =>
  status !== 'new' && status !== 'pending';
