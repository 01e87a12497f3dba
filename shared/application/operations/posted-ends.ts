import type { Operation } from '#shared/domain/operation/state.ts';
import { atMost } from '#shared/platform/at-most.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { EntryPoster } from './post-before-answer.ts';

/** How long a response waits until the entries of a terminal operation are posted. */
const postingMs = 3_000;

/**
 * Posts the entries of a terminal operation before a merchant sees its status (R12.12).
 * @throws Problem not_ready if they are not posted in time
 */
export async function postEnd(
  entryPoster: Pick<EntryPoster, 'post'>,
  operation: Operation,
): Promise<void> {
  await inTime(entryPoster.post(operation));
}

/** How many operations are read and posted at the same time. */
const postsAtOnce = 8;

/** The same for operations that still have to be read. */
export async function postEnds(
  entryPoster: Pick<EntryPoster, 'post'>,
  operationIds: readonly string[],
  read: (operationId: string) => Promise<Operation | undefined>,
): Promise<void> {
  const left = operationIds.values();
  const post = async () => {
    for (const operationId of left) {
      const operation = await read(operationId);
      if (operation === undefined || !(await entryPoster.post(operation))) return false;
    }
    return true;
  };
  await inTime(
    Promise.all(Array.from({ length: postsAtOnce }, post)).then((all) => all.every(Boolean)),
  );
}

async function inTime(posting: Promise<boolean>): Promise<void> {
  if (
    (await atMost(
      postingMs,
      posting.catch(() => false),
    )) === true
  )
    return;
  throw new Problem('not_ready', {
    detail: 'the ledger does not have the entry of a terminal status yet: retry the same request',
  });
}
