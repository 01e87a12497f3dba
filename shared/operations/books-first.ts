import { operationStream } from '#shared/domain/operation/events.ts';
import { entriesOwed } from '#shared/domain/operation/reserve.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { EventStore, StoredEvent } from '#shared/event-store/index.ts';
import type { Ledgers } from '#shared/ledger/types.ts';
import type { Logger } from '#shared/logger.ts';
import { postEntries, settlementOf } from './post-entries.ts';

/** Ids of operations that are known to be settled; the oldest make room. */
const maxKnown = 50_000;

/**
 * Sees to it that the books have an operation's end before a merchant is told of it: whoever then reads the balances
 * finds it there (contract §3.11). The processor posts the same entries by itself; each stands once, whoever is first.
 */
export function createBooksFirst({
  store,
  ledgers,
  logger,
  actor,
}: {
  store: Pick<EventStore, 'read'>;
  ledgers: Pick<Ledgers, 'post'>;
  logger: Logger;
  actor: string;
}) {
  const known = new Set<string>();

  const remember = (operationId: string) => {
    known.add(operationId);
    const [oldest] = known;
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
  };

  return {
    /**
     * Never throws: books that can't be written now are the processor's to mend, and no reason to keep an end to
     * oneself. `events`: the operation's, where the caller has them.
     */
    async settle(operation: Operation, events?: readonly StoredEvent[]): Promise<void> {
      const { operationId } = operation;
      if (known.has(operationId) || entriesOwed(operation).length === 0) return;
      try {
        const history = events ?? (await store.read(operationStream(operationId)));
        const { result } = await postEntries(ledgers, settlementOf(operation, history, actor));
        if (result.outcome === 'done') remember(operationId);
        else logger.warn({ operationId, reason: result.reason }, 'an end is told before the books have it');
      } catch (error) {
        logger.warn({ err: error, operationId }, 'an end is told before the books have it');
      }
    },
  };
}

export type BooksFirst = ReturnType<typeof createBooksFirst>;
