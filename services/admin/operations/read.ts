import { z } from 'zod';
import { projectOperation } from '#projections/operations/project.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { noOperation, type OperationState } from '#shared/domain/operation/state.ts';
import { viewOperation } from '#shared/domain/operation/view.ts';
import type { EventStore, StoredEvent } from '#shared/event-store/index.ts';
import { Problem } from '#shared/http/problems.ts';
import { evolveStored } from '#shared/operations/streams.ts';
import { fromStore } from '../store.ts';
import { maskNumbers } from './mask.ts';
import { viewForOperators } from './view.ts';

/** All that the log has of an operation. @throws Problem operation_not_found; not_ready when it can't be read */
export async function readEvents(store: EventStore, operationId: string): Promise<StoredEvent[]> {
  if (!z.guid().safeParse(operationId).success) throw new Problem('operation_not_found');
  const events = await fromStore(store.read(operationStream(operationId.toLowerCase())));
  if (events.length === 0) throw new Problem('operation_not_found');
  return events;
}

/** What a provider reported after the operation's end (contract §4). @throws Problem not_ready when it can't be read */
export async function readLateEvents(store: EventStore, operationId: string): Promise<StoredEvent[]> {
  return fromStore(store.read(lateStream(operationId.toLowerCase())));
}

/** The operation that its events lead to, as operators see it. @throws Problem operation_not_found */
export function showOperation(events: readonly StoredEvent[]): unknown {
  const row = events.reduce<OperationRow | undefined>(projectOperation, undefined);
  const state = events.reduce<OperationState>(evolveStored, noOperation);
  if (!row || state.phase !== 'admitted') throw new Problem('operation_not_found');
  const { number, name, bankname, bankname_details } = viewOperation(state) ?? {};
  const requisites = { number, name, bankname, bankname_details };
  return maskNumbers({ ...viewForOperators(row), ...requisites, legs: state.legs });
}
