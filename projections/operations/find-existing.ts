import { sql, type Kysely } from 'kysely';

/** The merchant's own ids of operations, as far as the read model has them. */
export async function findMerchantOperationIds<DB>(
  db: Kysely<DB>,
  operationIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; merchant_operation_id: string }>`
    select operation_id::text as id, merchant_operation_id from gateway.operations
    where operation_id = any(${operationIds}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row.merchant_operation_id]));
}

/** The operations among these that the read model has. */
export async function findExisting<DB>(
  db: Kysely<DB>,
  operationIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select operation_id::text as id from gateway.operations
    where operation_id = any(${operationIds}::uuid[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
