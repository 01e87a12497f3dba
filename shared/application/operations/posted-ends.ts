import type { Operation } from '#shared/domain/operation/state.ts';
import { atMost } from '#shared/platform/at-most.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { BooksFirst } from './books-first.ts';

/** How long an answer waits until the entries of an operation's end are posted. */
const booksMs = 3_000;

/**
 * Posts the entries of an operation's end before a merchant sees that end (R12.12).
 * @throws Problem not_ready if they are not posted in time
 */
export async function postEnd(
  booksFirst: Pick<BooksFirst, 'post'>,
  operation: Operation,
): Promise<void> {
  await inTime(booksFirst.post(operation));
}

/** How many operations are read and posted at the same time. */
const postsAtOnce = 8;

/** The same for operations that still have to be read. */
export async function postEnds(
  booksFirst: Pick<BooksFirst, 'post'>,
  operationIds: readonly string[],
  read: (operationId: string) => Promise<Operation | undefined>,
): Promise<void> {
  const left = operationIds.values();
  const post = async () => {
    for (const operationId of left) {
      const operation = await read(operationId);
      if (operation === undefined || !(await booksFirst.post(operation))) return false;
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
      booksMs,
      posting.catch(() => false),
    )) === true
  )
    return;
  throw new Problem('not_ready', {
    detail: 'the ledger does not have the entry of a terminal status yet: retry the same request',
  });
}
