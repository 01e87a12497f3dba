import type { Kysely } from 'kysely';
import type { EntryPoster } from '#shared/application/operations/post-before-answer.ts';
import { ensureAllEntriesPosted } from '#shared/application/operations/post-before-answer.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { listUnpostedEnds } from './unposted-ends.ts';

type Ports<DB> = {
  db: Kysely<DB>;
  entryPoster: Pick<EntryPoster, 'post' | 'isPosted'>;
  read: (operationId: string) => Promise<Operation | undefined>;
};

/** How many ends are posted within the time of one answer. */
const endsAtOnce = 50;

/**
 * Posts the entries of the ends of operations, before they are shown (R12.12). The journal names
 * most that are posted, however many there are. @throws Problem not_ready while one is not posted
 */
export async function postUnpostedEnds<DB>(
  { db, entryPoster, read }: Ports<DB>,
  operationIds: readonly string[],
): Promise<void> {
  const unknown = operationIds.filter((operationId) => !entryPoster.isPosted(operationId));
  for (let from = 0; from < unknown.length; from += endsAtOnce) {
    const unposted = await fromDatabase(
      listUnpostedEnds(db, unknown.slice(from, from + endsAtOnce)),
    );
    await ensureAllEntriesPosted(entryPoster, unposted, read);
  }
}
