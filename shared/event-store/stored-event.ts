import type { AllStreamRecordedEvent, RecordedEvent } from '@eventstore/db-client';
import type { EventMetadata, StoredEvent } from './types.ts';

/** The client's event in the gateway's shape: plain numbers for revisions, one position. */
export function toStoredEvent(event: RecordedEvent | AllStreamRecordedEvent): StoredEvent {
  return {
    id: event.id,
    type: event.type,
    data: event.data,
    metadata: event.metadata as EventMetadata,
    stream: event.streamId,
    revision: Number(event.revision),
    position: event.position?.commit ?? 0n,
    created: event.created,
  };
}
