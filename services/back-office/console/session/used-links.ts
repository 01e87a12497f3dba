import type { Kysely } from 'kysely';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { SignInLink } from './links.ts';
import type { ConsoleDatabase } from './tables.ts';

/** A used link is remembered this long after it expires, because instances' clocks differ. */
const retainedPastExpiryMs = 3_600_000;

/**
 * Uses up a sign-in link; false if it was used before, on any instance.
 * @throws Problem not_ready when the database does not answer
 */
export async function takeLink(
  db: Kysely<ConsoleDatabase>,
  { id, expiresAt }: Pick<SignInLink, 'id' | 'expiresAt'>,
  nowMs: number,
): Promise<boolean> {
  const take = async () => {
    await db
      .deleteFrom('console.used_link')
      .where('expires_at', '<=', new Date(nowMs - retainedPastExpiryMs))
      .execute();
    const { numInsertedOrUpdatedRows: insertedCount } = await db
      .insertInto('console.used_link')
      .values({ id, expires_at: expiresAt })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return insertedCount === 1n;
  };
  return fromDatabase(take());
}
