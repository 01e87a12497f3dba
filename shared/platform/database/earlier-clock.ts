import { sql, type Kysely } from 'kysely';

/**
 * The earlier one of this machine's clock and the database's, for what can't be taken back: one
 * clock that is ahead does not bring it about.
 */
export async function readEarlierClock<DB>(
  db: Kysely<DB>,
  now: () => number,
): Promise<() => number> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db);
  const answeredAt = now();
  const aheadMs = Math.max(0, answeredAt - (rows[0]?.at.getTime() ?? answeredAt));
  return () => now() - aheadMs;
}
