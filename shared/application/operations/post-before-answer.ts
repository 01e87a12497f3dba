import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { keyOfEntry } from '#shared/domain/ledger/reference.ts';
import { isSameRequest } from '#shared/domain/ledger/repeat.ts';
import { isTerminalEventType, operationStream } from '#shared/domain/operation/events.ts';
import { dueEntries } from '#shared/domain/operation/due-steps/ledger-entries.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { LoggedEvent } from '#shared/platform/event-store/types.ts';
import { decodeEntry } from '#shared/application/ledger/memory.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { atMost } from '#shared/platform/at-most.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { areEntriesPosted, postEntries, ledgerEntries, type EntryToPost } from './post-entries.ts';

/**
 * Sizes of the pages in which the events after the terminal event are searched. The entry is
 * usually among the first few; in a busy log it comes later.
 */
const pagesAfterEnd = [32, 64, 160] as const;

/**
 * Posts the entries of a terminal operation before the merchant sees its status, so that a balance
 * read afterwards includes them (R12.12). The processor posts the same entries too; posting is
 * idempotent.
 */
export function createEntryPoster({
  store,
  ledgers,
  logger,
  actor,
}: {
  store: Pick<EventStore, 'read' | 'recent' | 'readLog'>;
  ledgers: Pick<Ledgers, 'post' | 'isPosted' | 'isExplored' | 'booked'>;
  logger: Logger;
  actor: string;
}) {
  const postMissing = async (operation: Operation, events?: readonly StoredEvent[]) => {
    const stream = operationStream(operation.operationId);
    const recent = store.recent(stream);
    const history = events ?? (await readHistory(store, operation));
    const entries = ledgerEntries(operation, history, actor);
    const end = history.findLast(({ type }) => isTerminalEventType(type));
    // The ledger in memory has the events that this process has just received.
    const isRecent = recent?.some(({ id }) => id === end?.id) === true;
    const isDecided = isRecent || entries.every(({ request }) => ledgers.isExplored(request));
    const missing = isDecided || !end ? entries : await withoutPosted(store, entries, end.position);
    const { result } = await postEntries(ledgers, missing);
    return result;
  };

  return {
    isPosted: (operationId: string): boolean => ledgers.booked.has(operationId),

    /**
     * Whether the terminal status may be shown: its entries are posted, or its ledger is unusable,
     * so its balances are refused too. False: unknown, so the caller must repeat this. It never
     * throws. `events`: the operation's, if the caller has them.
     */
    async post(operation: Operation, events?: readonly StoredEvent[]): Promise<boolean> {
      const { operationId } = operation;
      if (ledgers.booked.has(operationId) || dueEntries(operation).length === 0) return true;
      try {
        const result = areEntriesPosted(ledgers, operation)
          ? ({ outcome: 'done' } as const)
          : await postMissing(operation, events);
        if (result.outcome === 'done') {
          ledgers.booked.add(operationId);
          return true;
        }
        const { reason, undecided } = result;
        logger.warn(
          { operationId, reason },
          'the ledger entries of a terminal status are not posted',
        );
        return !undecided;
      } catch (error) {
        logger.warn(
          { err: error, operationId },
          'the ledger entries of a terminal status are not posted',
        );
        return false;
      }
    },
  };
}

/**
 * The entries that are not among the first events after the terminal event. The log is searched,
 * because a busy ledger would have to be read far back. A burst must not come to this: 23.10 has
 * four readers, which such pages keep busy for seconds, and its appends wait meanwhile.
 */
async function withoutPosted(
  store: Pick<EventStore, 'readLog'>,
  entries: readonly EntryToPost[],
  end: bigint,
): Promise<EntryToPost[]> {
  let missing = [...entries];
  let after = end;
  for (const maxCount of pagesAfterEnd) {
    if (missing.length === 0) break;
    const { events } = await store.readLog({ after, maxCount });
    missing = missing.filter((entry) => !events.some((event) => isEntry(event, entry)));
    if (events.length < maxCount) break;
    after = events.at(-1)?.position ?? after;
  }
  return missing;
}

function isEntry(event: LoggedEvent, { key, request }: EntryToPost): boolean {
  if (event.stream !== ledgerStream(request.shopId, request.currency)) return false;
  const entry = decodeEntry(event.read());
  return keyOfEntry(entry) === key && isSameRequest(entry, request);
}

/**
 * All events of an operation up to the known revision, from memory if this process has received
 * them.
 */
async function readHistory(
  store: Pick<EventStore, 'read' | 'recent'>,
  { operationId, revision }: Operation,
): Promise<readonly StoredEvent[]> {
  const stream = operationStream(operationId);
  const recent = store.recent(stream);
  return recent && recent.length > revision ? recent : store.read(stream);
}

export type EntryPoster = ReturnType<typeof createEntryPoster>;

/** How long a response waits until the entries of a terminal operation are posted. */
const postingMs = 3_000;

/**
 * Posts the entries of a terminal operation before a merchant sees its status (R12.12).
 * @throws Problem not_ready if they are not posted in time
 */
export async function ensureEntriesPosted(
  entryPoster: Pick<EntryPoster, 'post'>,
  operation: Operation,
): Promise<void> {
  await inTime(entryPoster.post(operation));
}

/** How many operations are read and posted at the same time. */
const postsAtOnce = 8;

/** The same for operations that still have to be read. */
export async function ensureAllEntriesPosted(
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
