import { sql, type Kysely } from 'kysely';

/** The holder of a lock sends a query at least this often. */
export const speakEveryMs = 2_000;
/**
 * PostgreSQL ends a connection that is idle for this long, and releases its locks: a process that
 * is frozen or cut off loses its lock to another. When it returns, its connection is gone.
 */
const silenceMs = 8_000;

/** Fails as a write would. On a standby every transaction is read-only. */
const refuseReadOnly = sql`do $$ begin
  if current_setting('transaction_read_only')::boolean then
    raise read_only_sql_transaction using message = 'the server only reads';
  end if;
end $$`;

/**
 * Takes a lock that the connection holds until `releaseSessionLocks`, or until it or its process is
 * gone or silent. Work under the lock must use the same connection: then a holder that lost the
 * lock can't write any more.
 * @returns whether it was free
 * @throws on a server that only reads, whose locks exclude none of those who write on another
 */
export async function trySessionLock<DB>(
  connection: Kysely<DB>,
  name: string,
  idleMs = silenceMs,
): Promise<boolean> {
  await refuseReadOnly.execute(connection);
  const { rows } = await sql<{ held: boolean }>`
    select pg_try_advisory_lock(hashtextextended(${name}, 0)) as held`.execute(connection);
  if (rows[0]?.held !== true) return false;
  await sql`select set_config('idle_session_timeout', ${String(idleMs)}, false),
    set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, false)`.execute(
    connection,
  );
  return true;
}

/** Releases every lock of the connection. A lost connection has lost them already. */
export async function releaseSessionLocks<DB>(connection: Kysely<DB>): Promise<void> {
  await sql`select pg_advisory_unlock_all(), set_config('idle_session_timeout', '0', false),
    set_config('idle_in_transaction_session_timeout', '0', false)`
    .execute(connection)
    .catch(() => undefined);
}
