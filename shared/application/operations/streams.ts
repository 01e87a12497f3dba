import { decodeLateEvent, type LateEvent } from '#shared/domain/late/events.ts';
import { evolveLate } from '#shared/domain/late/record.ts';
import { nothingLate, type LateState } from '#shared/domain/late/state.ts';
import {
  decodeOperationEvent,
  operationStream,
  type OperationEvent,
} from '#shared/domain/operation/events.ts';
import { evolve } from '#shared/domain/operation/evolve.ts';
import {
  noOperation,
  type Operation,
  type OperationState,
} from '#shared/domain/operation/state.ts';
import type { StreamKind } from '#shared/platform/event-store/current-states.ts';
import {
  foldStored,
  type EventStore,
  type StreamFold,
} from '#shared/platform/event-store/index.ts';
import { inVersionOrder } from './version-order.ts';

/** How an operation's stream is folded. */
export const operations: StreamFold<OperationState, OperationEvent> = inVersionOrder({
  initial: noOperation,
  decode: decodeOperationEvent,
  evolve,
});

/** How the stream of an operation's late facts is folded. */
export const lateFactsFold: StreamFold<LateState, LateEvent> = inVersionOrder({
  initial: nothingLate,
  decode: decodeLateEvent,
  evolve: evolveLate,
});

/** How late facts are cached in memory. */
export const lateStates = (store: Pick<EventStore, 'read'>): StreamKind<LateState> => ({
  load: async (stream, base = nothingLate) => {
    const events = await store.read(stream, { fromRevision: base.revision + 1 });
    return foldStored(lateFactsFold, events, base);
  },
  evolve: (state, event) => foldStored(lateFactsFold, [event], state),
});

/** How operations are cached in memory (`createCurrentStates`). */
export const operationStates = (store: Pick<EventStore, 'read'>): StreamKind<OperationState> => ({
  load: async (stream, base = noOperation) => {
    const events = await store.read(stream, { fromRevision: base.revision + 1 });
    return foldStored(operations, events, base);
  },
  evolve: (state, event) => foldStored(operations, [event], state),
});

/** The current state of the operation; only events after the known state are read. */
export async function readOperation(
  store: Pick<EventStore, 'read'>,
  operationId: string,
  base: OperationState = noOperation,
): Promise<Operation | undefined> {
  const events = await store.read(operationStream(operationId), {
    fromRevision: base.revision + 1,
  });
  const state = foldStored(operations, events, base);
  return state.phase === 'admitted' ? state : undefined;
}
