import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { OperationRow } from './table.ts';

/** A row of a list, with the total of the operation's returned money, if there is any. */
export type ListedOperation = OperationRow & { returned_amount?: string };

/** The kinds of late facts about money returned after the end, as SQL. */
export const lateReturnKinds = "'payout_returned', 'payment_charged_back', 'return_corrected'";

const lateReturns = sql`gateway.suspense where kind in (${sql.raw(lateReturnKinds)})`;

/**
 * The returned money of an operation, before its end and after it; null if there is none.
 * `operations`: the table or its alias.
 */
export function returnedAmount(operations: string): RawBuilder<string | null> {
  const id = sql.ref(`${operations}.operation_id`);
  return sql<string | null>`(select nullif(sum(back.amount), 0) from (
    select amount from gateway.returned_legs where returned_legs.operation_id = ${id}
    union all
    select amount from ${lateReturns} and suspense.operation_id = ${id}) as back)`;
}

/** Whether the operation has returned money. Few do, so they are read at once. */
export const hasReturns = sql<boolean>`operation_id in (
  select operation_id from gateway.returned_legs where amount <> 0
  union all select operation_id from ${lateReturns})`;

/** The rows with their returned amounts, in the same order. */
export async function withReturns<DB>(
  db: Kysely<DB>,
  rows: readonly OperationRow[],
): Promise<ListedOperation[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ operation_id: id }) => id);
  const { rows: amountRows } = await sql<{ id: string; amount: string | null }>`
    select listed.operation_id::text as id, ${returnedAmount('listed')}::text as amount
    from unnest(${ids}::uuid[]) as listed (operation_id)`.execute(db);
  const amounts = new Map(amountRows.map(({ id, amount }) => [id, amount]));
  return rows.map((row) => {
    const amount = amounts.get(row.operation_id);
    return amount ? { ...row, returned_amount: amount } : row;
  });
}
