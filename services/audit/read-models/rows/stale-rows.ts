import { decodeOperationEvent, operationStream } from '#shared/domain/operation/events.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { newEntity } from '../../log/entities/entity.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { admittedFacts, applyEvent } from '../../log/operation/fold.ts';
import type { Limits } from './limits.ts';
import type { RecordedRows } from './record-rows.ts';

/**
 * Makes rows again for operations that got an event after their rows were final. They are few: such
 * an event breaks a rule, or is very late.
 */
export async function makeStaleRows({
  rows,
  store,
  limits,
}: {
  rows: RecordedRows;
  store: Pick<EventStore, 'read'>;
  limits: Limits;
}): Promise<void> {
  for (const id of rows.stale()) {
    const entity = newEntity(id);
    for (const stored of await store.read(operationStream(id))) {
      const position = Number(stored.position);
      if (!limits.takes('operations', position)) break;
      const event = decode(stored);
      if (!event) break;
      const atMs = stored.created.getTime();
      const { revision } = stored;
      const location = { revision, position, atMs };
      if (event.type === 'OperationAdmitted')
        entity.operation = admittedFacts(event.data, location, revision > 0);
      else if (entity.operation) applyEvent(entity.operation, event, location);
      const logEvent: Pick<RawEvent, 'id' | 'revision' | 'position'> = {
        id: stored.id,
        revision,
        position,
      };
      const envelope = {
        event: logEvent as RawEvent,
        atMs,
        type: stored.type,
        data: stored.data,
        actor: stored.metadata.actor,
        metadata: stored.metadata,
      };
      rows.operation(entity, { event, envelope });
    }
    rows.rowsOf(entity);
  }
}

function decode(stored: StoredEvent) {
  try {
    return decodeOperationEvent(stored);
  } catch {
    return undefined;
  }
}
