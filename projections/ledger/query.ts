import { sql, type Kysely } from 'kysely';
import type { EntryRow } from './tables.ts';

const maxEntries = 200;

/** The positions of an operation's entries in the log, in order: a handful at most. */
export async function findEntries<DB>(
  db: Kysely<DB>,
  operationId: string,
): Promise<Pick<EntryRow, 'shop_id' | 'currency' | 'revision'>[]> {
  const { rows } = await sql<Pick<EntryRow, 'shop_id' | 'currency' | 'revision'>>`
    select shop_id, currency, revision from gateway.journal_entries
    where operation_id = ${operationId} order by position limit ${maxEntries}`.execute(db);
  return rows;
}
