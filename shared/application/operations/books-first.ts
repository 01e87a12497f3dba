import { isTerminalEventType, operationStream } from '#shared/domain/operation/events.ts';
import { entriesOwed } from '#shared/domain/operation/owed/ledger-entries.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { entriesStand, postEntries, entriesOf } from './post-entries.ts';

/** Ids of operations that need no further check; the oldest are evicted. */
const maxKnown = 50_000;
/**
 * Older ends are left to the processor: to know whether their entry is posted, the ledger would
 * have to be read back that far.
 */
const recentMs = 5 * 60_000;

/**
 * Posts the entries of an operation's end before the merchant sees that end, so a balance that is
 * read afterwards includes them (R12.12). The processor posts the same entries by itself; posting
 * is idempotent.
 */
export function createBooksFirst({
  store,
  ledgers,
  logger,
  actor,
  now = Date.now,
}: {
  store: Pick<EventStore, 'read'>;
  ledgers: Pick<Ledgers, 'post' | 'stands'>;
  logger: Logger;
  actor: string;
  /** Epoch milliseconds. */
  now?: () => number;
}) {
  const known = new Set<string>();

  const remember = (operationId: string) => {
    known.add(operationId);
    const [oldest] = known;
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
  };

  return {
    /** Whether the entries of an end at that time may still have to be posted. */
    mayOwe: (operationId: string, endedAt: Date): boolean =>
      !known.has(operationId) && now() - endedAt.getTime() <= recentMs,

    /**
     * Never throws: the processor retries what could not be posted, and the merchant gets the end
     * in any case. `events`: the operation's, if the caller has them.
     */
    async post(operation: Operation, events?: readonly StoredEvent[]): Promise<void> {
      const { operationId } = operation;
      if (known.has(operationId) || entriesOwed(operation).length === 0) return;
      try {
        if (entriesStand(ledgers, operation)) return remember(operationId);
        const history = events ?? (await store.read(operationStream(operationId)));
        const end = history.findLast(({ type }) => isTerminalEventType(type));
        if (end && now() - end.created.getTime() > recentMs) return remember(operationId);
        const { result } = await postEntries(ledgers, entriesOf(operation, history, actor));
        if (result.outcome === 'done') remember(operationId);
        else
          logger.warn(
            { operationId, reason: result.reason },
            'an end was answered before its ledger entries were posted',
          );
      } catch (error) {
        logger.warn(
          { err: error, operationId },
          'an end was answered before its ledger entries were posted',
        );
      }
    },
  };
}

export type BooksFirst = ReturnType<typeof createBooksFirst>;
