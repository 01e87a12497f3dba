import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { isTerminalEventType, operationStream } from '#shared/domain/operation/events.ts';
import type { Operation, OperationState } from '#shared/domain/operation/state.ts';
import { createCurrentStates } from '#shared/platform/event-store/current-states.ts';
import { foldStored, type EventStore } from '#shared/platform/event-store/index.ts';
import type { LedgerPosition, Ledgers } from '#shared/application/ledger/types.ts';
import { operations as folding, operationStates } from '#shared/application/operations/streams.ts';

/** Reads for merchants: never older than what was already sent to them (R10.2). */
export type CurrentReads = {
  /** Undefined if no create was admitted. @throws when the store does not answer */
  operation(operationId: string): Promise<Operation | undefined>;
  /** An operation that this process has just written: `position` is that of its newest event. */
  keep(operation: Operation, position: bigint): void;
  /** @throws when the store does not answer */
  ledger(shopId: string, currency: string): Promise<LedgerPosition>;
};

const ledgerDeadlineMs = 2_000;

export function createCurrentReads({
  store,
  ledgers,
}: {
  store: EventStore;
  ledgers: Pick<Ledgers, 'position'>;
}): CurrentReads {
  const states = createCurrentStates(store);
  const operations = states.reader(operationStates(store));
  const positions = states.reader<LedgerPosition>({
    load: (stream) => {
      const [shopId, currency] = ledgerOf(stream);
      return ledgers.position(shopId, currency, { deadlineMs: ledgerDeadlineMs });
    },
    // An entry is checked against the one before it, which is not cached, so two events are read
    // again.
    evolve: () => undefined,
  });
  return {
    operation: async (operationId) => {
      const stream = operationStream(operationId);
      const state = endedRecently(store, stream) ?? (await operations.read(stream));
      return state.phase === 'admitted' ? state : undefined;
    },
    keep: (operation, position) =>
      operations.put(operationStream(operation.operationId), { state: operation, position }),
    ledger: (shopId, currency) => positions.read(ledgerStream(shopId, currency)),
  };
}

/**
 * Nothing that a merchant sees of an operation changes after its end. So if this process has
 * received the end, it knows the newest state, and need not poll the log.
 */
function endedRecently(
  store: Pick<EventStore, 'recent'>,
  stream: string,
): OperationState | undefined {
  const events = store.recent(stream);
  const ended = events?.some(({ type }) => isTerminalEventType(type));
  return events && ended ? foldStored(folding, events) : undefined;
}

/** The shop and the currency of a ledger's stream: a currency's code holds no hyphen. */
function ledgerOf(stream: string): [shopId: string, currency: string] {
  const end = stream.lastIndexOf('-');
  return [stream.slice(stream.indexOf('-') + 1, end), stream.slice(end + 1)];
}
