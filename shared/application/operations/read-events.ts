import { z } from 'zod';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import {
  foldStored,
  type EventStore,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { EntryPoster } from './post-before-answer.ts';
import { operations } from './streams.ts';

/**
 * All events of an operation.
 * @throws Problem operation_not_found; not_ready when it can't be read
 */
export async function readOperationEvents(
  store: EventStore,
  operationId: string,
): Promise<StoredEvent[]> {
  if (!z.guid().safeParse(operationId).success) throw new Problem('operation_not_found');
  const events = await fromStore(store.read(operationStream(operationId.toLowerCase())));
  if (events.length === 0) throw new Problem('operation_not_found');
  return events;
}

/** An operation, from the log. @throws Problem as `readOperationEvents`, also if only cancelled */
export async function readAdmitted(store: EventStore, operationId: string): Promise<Operation> {
  const state = foldStored(operations, await readOperationEvents(store, operationId));
  if (state.phase !== 'admitted') throw new Problem('operation_not_found');
  return state;
}

/**
 * The operation's events after a command on it, once the ledger has the entries of its terminal
 * status, or is unusable. @throws Problem as `readOperationEvents`
 */
export async function readAndPost(
  { store, entryPoster }: { store: EventStore; entryPoster: Pick<EntryPoster, 'post'> },
  operationId: string,
): Promise<StoredEvent[]> {
  const events = await readOperationEvents(store, operationId);
  const state = foldStored(operations, events);
  if (state.phase === 'admitted') await entryPoster.post(state, events);
  return events;
}
