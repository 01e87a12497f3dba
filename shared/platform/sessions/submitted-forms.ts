import type { Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { hashSecret } from './secrets.ts';
import type { SessionDatabase } from './tables.ts';

/** Forms of one session that are remembered; the oldest are forgotten. */
const maxSent = 100;
const pollEveryMs = 100;
const maxPolls = 100;

/** Runs a form's action, unless a form with the same id ran on any instance. */
type SubmitOnce = (
  session: { secret: string },
  id: string | undefined,
  run: () => Promise<string>,
) => Promise<string>;

/**
 * Runs each form once, however often it is sent (a double click, the back button); one that failed
 * may be sent again. One whose instance died is not run again: the user has to check its outcome.
 * @throws Problem not_ready when the database does not answer, or the first of two has not ended
 *   after 10 s; and whatever `run` throws
 */
export function createSubmittedForms(db: Kysely<SessionDatabase>, now: () => number): SubmitOnce {
  const take = async (session_hash: string, once: string): Promise<boolean> => {
    const { numInsertedOrUpdatedRows: inserted } = await db
      .insertInto('sent')
      .values({ session_hash, once, sent_at: new Date(now()), location: null })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return inserted === 1n;
  };
  const forgetOldest = (session_hash: string) =>
    db
      .deleteFrom('sent')
      .where('session_hash', '=', session_hash)
      .where('once', 'in', (sent) =>
        sent
          .selectFrom('sent')
          .select('once')
          .where('session_hash', '=', session_hash)
          .orderBy('sent_at', 'desc')
          .offset(maxSent),
      )
      .execute();
  const complete = (session_hash: string, once: string, location: string) =>
    db
      .updateTable('sent')
      .set({ location })
      .where('session_hash', '=', session_hash)
      .where('once', '=', once)
      .execute();
  const release = (session_hash: string, once: string) =>
    db
      .deleteFrom('sent')
      .where('session_hash', '=', session_hash)
      .where('once', '=', once)
      .execute();
  const find = (session_hash: string, once: string) =>
    db
      .selectFrom('sent')
      .select('location')
      .where('session_hash', '=', session_hash)
      .where('once', '=', once)
      .executeTakeFirst();
  const notReady = () =>
    new Problem('not_ready', { detail: 'it is not known yet whether this form was submitted' });

  return async (session, id, run) => {
    if (id === undefined || !/^[\w-]{1,64}$/.test(id)) return run();
    const session_hash = hashSecret(session.secret);
    if (!(await fromDatabase(take(session_hash, id)))) {
      for (let polls = 0; polls < maxPolls; polls += 1) {
        const earlier = await fromDatabase(find(session_hash, id));
        // The first one failed: it was not done.
        if (!earlier) break;
        if (earlier.location !== null) return earlier.location;
        await delay(pollEveryMs);
      }
      throw notReady();
    }
    await fromDatabase(forgetOldest(session_hash));
    const location = await run().catch(async (error: unknown) => {
      // If even this fails the form is not run again, which is the safe side.
      await release(session_hash, id).catch(() => undefined);
      throw error;
    });
    await fromDatabase(complete(session_hash, id, location));
    return location;
  };
}
