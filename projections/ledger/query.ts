import type { Kysely } from 'kysely';
import type { EntryRow } from './tables.ts';

/** The tables that these queries read. */
type LedgerDatabase = { 'gateway.journal_entries': EntryRow };

/** The positions of an operation's entries in the log, in order: a handful at most. */
export async function findEntries<DB>(
  db: Kysely<DB>,
  operationId: string,
): Promise<Pick<EntryRow, 'shop_id' | 'currency' | 'revision'>[]> {
  return (db as unknown as Kysely<LedgerDatabase>)
    .selectFrom('gateway.journal_entries')
    .select(['shop_id', 'currency', 'revision'])
    .where('operation_id', '=', operationId)
    .orderBy('position')
    .limit(maxEntries)
    .execute();
}

const maxEntries = 200;
