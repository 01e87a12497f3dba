import { sql, type Kysely } from 'kysely';
import { fromDatabase, type AdminDatabase, type AdminDb } from '../database.ts';

/** How long one look of the console may keep the database busy. */
export const lookMs = 4_000;

/** PostgreSQL ended the statement, as it was told to. */
const cancelled = '57014';

/**
 * Reads in one snapshot that takes no longer than `lookMs`; `too_long` where it would have.
 * @throws Problem not_ready while the database does not answer
 */
export async function look<T>(
  db: AdminDb,
  read: (snapshot: Kysely<AdminDatabase>) => Promise<T>,
): Promise<T | 'too_long'> {
  const reading = db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      await sql`select set_config('statement_timeout', ${String(lookMs)}, true)`.execute(snapshot);
      return read(snapshot);
    })
    .catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === cancelled) return 'too_long' as const;
      throw error;
    });
  return fromDatabase(reading);
}
