import { sql, type Kysely } from 'kysely';

/** Those of the operations that the read model has. */
export async function findExisting<DB>(
  db: Kysely<DB>,
  operationIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select operation_id::text as id from gateway.operations
    where operation_id = any(${operationIds}::uuid[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
