import type { EventMetadata, StoredEvent } from '../types.ts';
import { createdMs, type RawEvent } from './raw-event.ts';

/**
 * The event with its content parsed. Content that is not JSON is passed on unchanged; the decoder
 * refuses it.
 */
export function toStoredEvent(raw: RawEvent): StoredEvent {
  return {
    id: raw.id,
    type: raw.type,
    data: raw.contentType === 'application/json' ? parseContent(raw.data) : raw.data,
    metadata: (raw.metadata.length > 0 ? parseContent(raw.metadata) : undefined) as EventMetadata,
    stream: raw.stream,
    revision: raw.revision,
    position: BigInt(raw.position),
    created: new Date(createdMs(raw)),
  };
}

function parseContent(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
