import type { RecordedEvent } from '@eventstore/db-client';
import type { RawEvent } from '../reading/raw-event.ts';

/**
 * The event as the gateway reads it. The client has parsed its JSON, which is encoded again: the
 * same bytes for events of the gateway, and the same content for any other. The client keeps only
 * the milliseconds of its time.
 */
export function toRawEvent(event: RecordedEvent): RawEvent {
  const { streamId, id, type, revision, data, metadata, isJson, created, position } = event;
  return {
    position: Number(position?.commit ?? 0n),
    stream: streamId,
    revision: Number(revision),
    id,
    type,
    contentType: isJson ? 'application/json' : 'application/octet-stream',
    createdTicks: `${created.getTime()}0000`,
    data: bytesOf(data),
    metadata: metadata === undefined ? Buffer.alloc(0) : bytesOf(metadata),
  };
}

const bytesOf = (content: unknown): Buffer =>
  content instanceof Uint8Array
    ? Buffer.from(content)
    : Buffer.from(JSON.stringify(content), 'utf8');
