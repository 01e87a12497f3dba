import { sql, type Kysely } from 'kysely';
import { fromDatabase } from './from-database.ts';

/** The longest that one query of a page may take. */
const snapshotTimeoutMs = 4_000;

/** The code of PostgreSQL for a statement that timed out. */
const cancelled = '57014';

/**
 * Reads in one snapshot that takes no longer than `snapshotTimeoutMs`; `too_long` where it would
 * have.
 * @throws Problem not_ready while the database does not answer
 */
export async function readSnapshot<T, DB>(
  db: Kysely<DB>,
  read: (snapshot: Kysely<DB>) => Promise<T>,
): Promise<T | 'too_long'> {
  const reading = db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      await sql`select set_config('statement_timeout', ${String(snapshotTimeoutMs)}, true)`.execute(
        snapshot,
      );
      return read(snapshot);
    })
    .catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === cancelled)
        return 'too_long' as const;
      throw error;
    });
  return fromDatabase(reading);
}
