import { sql, type RawBuilder } from 'kysely';
import { joinConditions, where } from '../conditions.ts';

/**
 * Whether a payment has much more money than expected, with what arrived after its end (R12.18).
 * Few have, so they are read at once.
 * @param since only those whose money changed since then
 */
export function isOverpaid(since?: Date): RawBuilder<boolean> {
  // An index has these rows.
  const atEnd = [
    sql<boolean>`actual_amount > overpaid_above`,
    ...where(since, (time) => sql`updated_at >= ${time}`),
  ];
  const withLate = [
    sql<boolean>`o.actual_amount + sum(late.amount) > o.overpaid_above`,
    ...where(since, (time) => sql`max(late.received_at) >= ${time}`),
  ];
  return sql<boolean>`operation_id in (
    select operation_id from gateway.operations where ${joinConditions(atEnd)}
    union all
    select o.operation_id from gateway.suspense late
    join gateway.operations o on o.operation_id = late.operation_id and o.currency = late.currency
    where late.kind = 'late_money'
    group by o.operation_id having ${joinConditions(withLate)})`;
}
