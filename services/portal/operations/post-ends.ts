import { listUnpostedEnds } from '#projections/operations/unposted-ends.ts';
import { postEnds } from '#shared/application/operations/posted-ends.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { Portal } from '../env.ts';

/**
 * Posts the entries of the ends of operations, before they are shown (R12.12). The journal names
 * most that are posted, however many there are. @throws Problem not_ready while one is not posted
 */
export async function postEndsOf(
  { store, db, entryPoster }: Portal,
  operationIds: readonly string[],
): Promise<void> {
  const unknown = operationIds.filter((operationId) => !entryPoster.isPosted(operationId));
  const unposted = await fromDatabase(listUnpostedEnds(db, unknown));
  await postEnds(entryPoster, unposted, (operationId) => readOperation(store, operationId));
}
