import { z } from 'zod';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { operations } from '#shared/application/operations/streams.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import {
  foldStored,
  type EventStore,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';

type OperationMatch = { operation: Operation; events: readonly StoredEvent[] };

/**
 * An operation of the shop, from the log. One of another shop, and one that is still being created,
 * are not found. @throws Problem operation_not_found, not_ready
 */
export async function findOperation(
  store: Pick<EventStore, 'read'>,
  shopId: string,
  id: string | undefined,
): Promise<OperationMatch> {
  const operationId = id?.toLowerCase();
  if (!z.guid().safeParse(operationId).success) throw new Problem('operation_not_found');
  const events = await fromStore(store.read(operationStream(operationId ?? '')));
  const operation = foldStored(operations, events);
  if (
    operation.phase !== 'admitted' ||
    operation.shopId !== shopId ||
    operation.status === 'creating'
  )
    throw new Problem('operation_not_found');
  return { operation, events };
}
