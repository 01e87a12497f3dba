import { sql, type Kysely } from 'kysely';
import type { EntryRow } from './tables.ts';

type Ledger = { shopId: string; currency: string };

/** A field of a ledger's entry. @throws if the read model lacks the entry */
export async function readField<DB, Field extends 'statement_at' | 'balance_after'>(
  db: Kysely<DB>,
  { shopId, currency }: Ledger,
  { field, revision }: { field: Field; revision: number },
): Promise<EntryRow[Field]> {
  const { rows } = await sql<Pick<EntryRow, Field>>`
    select ${sql.ref(field)} from gateway.journal_entries
    where shop_id = ${shopId} and currency = ${currency} and revision = ${revision}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('a ledger entry is missing in the read model');
  return row[field];
}

/**
 * How many of a ledger's entries, whose times never decrease, are from before a time. It reads one
 * entry for each bit of their number, so that no index by time is needed.
 * @param from how many of them are, at least
 * @param size how many entries the ledger has
 */
export async function countBefore<DB>(
  db: Kysely<DB>,
  ledger: Ledger,
  { time, from = 0, size }: { time: Date; from?: number; size: number },
): Promise<number> {
  let [low, high] = [from, size];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await readField(db, ledger, { field: 'statement_at', revision: middle })) < time)
      low = middle + 1;
    else high = middle;
  }
  return low;
}
