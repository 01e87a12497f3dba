import { sql, type Kysely } from 'kysely';

/** The holder of a lock sends a query at least this often. */
export const speakEveryMs = 2_000;
/**
 * A connection that says nothing for so long is ended by PostgreSQL, and its locks with it: a process that was frozen, or
 * that a network has cut off, gives way to another one without anybody's help. Comes it back, its connection is gone.
 */
const silenceMs = 8_000;

/**
 * Takes a lock that the connection holds until `releaseSessionLocks`, or until it or its process is gone or silent. What is done under it
 * must be done over the same connection: then nothing of a holder that was too late is written.
 * @returns whether it was free
 */
export async function trySessionLock<DB>(connection: Kysely<DB>, name: string): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select pg_try_advisory_lock(hashtextextended(${name}, 0)) as held`.execute(connection);
  if (rows[0]?.held !== true) return false;
  await sql`select set_config('idle_session_timeout', ${String(silenceMs)}, false),
    set_config('idle_in_transaction_session_timeout', ${String(silenceMs)}, false)`.execute(connection);
  return true;
}

/** Gives every lock of the connection back. One that was lost has lost them already. */
export async function releaseSessionLocks<DB>(connection: Kysely<DB>): Promise<void> {
  await sql`select pg_advisory_unlock_all(), set_config('idle_session_timeout', '0', false),
    set_config('idle_in_transaction_session_timeout', '0', false)`
    .execute(connection)
    .catch(() => undefined);
}
