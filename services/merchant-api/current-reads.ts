import { LRUCache } from 'lru-cache';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { isTerminalEventType, operationStream } from '#shared/domain/operation/events.ts';
import { isTerminal, type Operation, type OperationState } from '#shared/domain/operation/state.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { returnedSoFar } from '#shared/domain/late/returned.ts';
import { isZero } from '#shared/domain/money.ts';
import { createCurrentStates } from '#shared/platform/event-store/current-states.ts';
import {
  foldStored,
  type EventStore,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import type { LedgerPosition, Ledgers } from '#shared/application/ledger/types.ts';
import {
  lateStates,
  operations as folding,
  operationStates,
} from '#shared/application/operations/streams.ts';

/** Reads for merchants: never older than data already sent to them (R10.2). */
export type CurrentReads = {
  /** Undefined if no create was admitted. @throws when the store does not answer */
  operation(operationId: string): Promise<Operation | undefined>;
  /**
   * The returned amount so far; undefined if nothing was returned. @throws when the store does not
   * answer
   */
  returned(operation: Operation): Promise<string | undefined>;
  /** When its create was admitted, by the log. @throws when the store does not answer */
  admittedAt(operationId: string): Promise<Date>;
  /** An operation that this process has just written: `position` is that of its newest event. */
  cache(operation: Operation, position: bigint): void;
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
  const admissions = createAdmissionTimes(store);
  const operations = states.reader(operationStates(admissions));
  const late = states.reader(lateStates(store));
  const positions = states.reader<LedgerPosition>({
    load: (stream) => {
      const [shopId, currency] = parseLedgerStream(stream);
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
    returned: async (operation) => {
      // Before the end, returned money is subtracted from the legs, except for a partial return.
      if (!isTerminal(operation.status) && operation.returns.length === 0) return undefined;
      const total = returnedSoFar(operation, await late.read(lateStream(operation.operationId)));
      return isZero(total) ? undefined : total;
    },
    admittedAt: admissions.of,
    cache: (operation, position) =>
      operations.put(operationStream(operation.operationId), { state: operation, position }),
    ledger: (shopId, currency) => positions.read(ledgerStream(shopId, currency)),
  };
}

const maxAdmissionTimes = 10_000;

/**
 * When operations were admitted: a state is folded without times, and what was just written has
 * none yet. An admission that a read of its stream brings needs no other read.
 */
function createAdmissionTimes(store: Pick<EventStore, 'read' | 'recent'>) {
  const times = new LRUCache<string, Date>({ max: maxAdmissionTimes });
  const note = (events: readonly StoredEvent[]): Date | undefined => {
    const admission = events.find(({ type }) => type === 'OperationAdmitted');
    if (!admission) return undefined;
    times.set(admission.stream, admission.created);
    return admission.created;
  };
  const read: EventStore['read'] = async (stream, request) => {
    const events = await store.read(stream, request);
    note(events);
    return events;
  };
  const of = async (operationId: string): Promise<Date> => {
    const stream = operationStream(operationId);
    const recorded = times.get(stream) ?? note(store.recent(stream) ?? []);
    // A cancel may be before it.
    const admitted = recorded ?? note(await store.read(stream, { maxCount: 2 }));
    if (!admitted) throw new Error(`operation ${operationId} has no admission`);
    return admitted;
  };
  return { read, of };
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
function parseLedgerStream(stream: string): [shopId: string, currency: string] {
  const end = stream.lastIndexOf('-');
  return [stream.slice(stream.indexOf('-') + 1, end), stream.slice(end + 1)];
}
