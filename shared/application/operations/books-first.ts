import { isTerminalEventType, operationStream } from '#shared/domain/operation/events.ts';
import { entriesOwed } from '#shared/domain/operation/owed/ledger-entries.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { entriesStand, postEntries, entriesOf } from './post-entries.ts';

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
  store: Pick<EventStore, 'read' | 'recent'>;
  ledgers: Pick<Ledgers, 'post' | 'stands' | 'booked'>;
  logger: Logger;
  actor: string;
  /** Epoch milliseconds. */
  now?: () => number;
}) {
  return {
    /** Whether the entries of an end at that time may still have to be posted. */
    mayOwe: (operationId: string, endedAt: Date): boolean =>
      !ledgers.booked.has(operationId) && now() - endedAt.getTime() <= recentMs,

    /**
     * Never throws: the processor retries what could not be posted, and the merchant gets the end
     * in any case. `events`: the operation's, if the caller has them.
     */
    async post(operation: Operation, events?: readonly StoredEvent[]): Promise<void> {
      const { operationId } = operation;
      if (ledgers.booked.has(operationId) || entriesOwed(operation).length === 0) return;
      try {
        if (entriesStand(ledgers, operation)) return ledgers.booked.add(operationId);
        const history = events ?? (await historyOf(store, operation));
        const end = history.findLast(({ type }) => isTerminalEventType(type));
        if (end && now() - end.created.getTime() > recentMs) return ledgers.booked.add(operationId);
        const { result } = await postEntries(ledgers, entriesOf(operation, history, actor));
        if (result.outcome === 'done') ledgers.booked.add(operationId);
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

/**
 * All events of an operation up to the known revision, from memory if this process has received
 * them.
 */
async function historyOf(
  store: Pick<EventStore, 'read' | 'recent'>,
  { operationId, revision }: Operation,
): Promise<readonly StoredEvent[]> {
  const stream = operationStream(operationId);
  const recent = store.recent(stream);
  return recent && recent.length > revision ? recent : store.read(stream);
}

export type BooksFirst = ReturnType<typeof createBooksFirst>;
