import { sql, type Kysely } from 'kysely';

/**
 * Whether the row `operations` is terminal and lacks an entry in `gateway.journal_entries`, which
 * may lag behind the ledger: a payment with money its credit, a payout the end of each reservation,
 * which are numbered from 1.
 */
export const mayLackEntry = (operations: string) => {
  const of = sql.ref<string>;
  const entries = sql`gateway.journal_entries e where e.operation_id = ${of(`${operations}.operation_id`)}`;
  return sql<boolean>`(${of(`${operations}.ended_at`)} is not null
    and case ${of(`${operations}.type`)}
      when 'payment' then ${of(`${operations}.recorded_amount`)} is not null
        and not exists (select from ${entries} and e.kind = 'credit')
      else coalesce(${of(`${operations}.reservation`)}, 0) > (
        select count(distinct e.reservation) from ${entries} and e.kind in ('capture', 'release')) end)`;
};

/** The operations that may lack the entry of their end. */
export async function listUnpostedEnds<DB>(
  db: Kysely<DB>,
  operationIds: readonly string[],
): Promise<string[]> {
  if (operationIds.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select o.operation_id::text as id from gateway.operations o
    where o.operation_id = any(${operationIds}::uuid[]) and ${mayLackEntry('o')}`.execute(db);
  return rows.map(({ id }) => id);
}
