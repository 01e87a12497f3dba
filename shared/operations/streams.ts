import {
  decodeOperationEvent,
  operationStream,
  type OperationEvent,
} from '#shared/domain/operation/events.ts';
import { evolve } from '#shared/domain/operation/evolve.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { noOperation, type Operation, type OperationState } from '#shared/domain/operation/state.ts';
import type { StreamKind } from '#shared/event-store/current-states.ts';
import type { EventMetadata, EventStore, NewEvent, StoredEvent } from '#shared/event-store/index.ts';
import { newId } from '#shared/ids.ts';
import type { Origin } from './origin.ts';

/** What is written beside an event of this type. */
export function toMetadata(origin: Origin, type: string): EventMetadata {
  return {
    correlation_id: origin.correlationId,
    ...(origin.causationId !== undefined && { causation_id: origin.causationId }),
    ...(origin.requestId !== undefined && { request_id: origin.requestId }),
    ...(origin.traceparent !== undefined && { traceparent: origin.traceparent }),
    actor: origin.actor,
    ...(origin.keyId !== undefined && { key_id: origin.keyId }),
    ...(origin.tokenId !== undefined && { token_id: origin.tokenId }),
    schema_version: newestVersion(type),
  };
}

/** The content of events that this process decided: its shape is known, and reading it back costs more than evolving. */
const decided = new WeakSet<object>();

/** Events of a decision as the log takes them, each with an id of its own. */
export function toNewEvents(events: readonly { type: string; data: object }[], origin: Origin): NewEvent[] {
  return events.map(({ type, data }) => {
    decided.add(data);
    return { id: newId(), type, data, metadata: toMetadata(origin, type) };
  });
}

/** `evolve` over an event as it is stored. @throws when the log holds what this version does not know */
export function evolveStored(
  state: OperationState,
  stored: Pick<StoredEvent, 'type' | 'data' | 'metadata'>,
): OperationState {
  const known = typeof stored.data === 'object' && stored.data !== null && decided.has(stored.data);
  return evolve(state, known ? (stored as OperationEvent) : decodeOperationEvent(stored));
}

/** How operations are kept in memory (`createCurrentStates`). */
export const operationStates = (store: Pick<EventStore, 'read'>): StreamKind<OperationState> => ({
  load: async (stream, known = noOperation) => {
    const events = await store.read(stream, { fromRevision: known.revision + 1 });
    return events.reduce<OperationState>(evolveStored, known);
  },
  evolve: evolveStored,
});

/** The operation as the log has it now; what is known of it already is not read again. */
export async function readOperation(
  store: EventStore,
  operationId: string,
  known: OperationState = noOperation,
): Promise<Operation | undefined> {
  const events = await store.read(operationStream(operationId), { fromRevision: known.revision + 1 });
  const state = events.reduce<OperationState>(evolveStored, known);
  return state.phase === 'admitted' ? state : undefined;
}
