import {
  decodeErasureEvent,
  erasureStream,
  type ErasureRecord,
  type ErasureRequest,
} from '#shared/domain/personal-data/events.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';

/** The state of an erasure. */
export type Erasure = {
  request: ErasureRequest;
  requested: StoredEvent;
  /** Undefined until it is done. */
  erased?: { data: ErasureRecord; event: StoredEvent };
};

/**
 * The erasure of a key; undefined if nobody requested one.
 * @throws when the store does not answer
 */
export async function readErasure(
  store: Pick<EventStore, 'read'>,
  keyId: string,
): Promise<Erasure | undefined> {
  const events = await store.read(erasureStream(keyId));
  let erasure: Erasure | undefined;
  for (const event of events) {
    const { type, data } = decodeErasureEvent(event);
    if (type === 'PersonalDataErasureRequested') erasure ??= { request: data, requested: event };
    else if (erasure) erasure.erased ??= { data, event };
  }
  return erasure;
}
