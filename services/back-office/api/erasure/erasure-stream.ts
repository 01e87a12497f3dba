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

/** The erasure as the admin API shows it. */
export function viewErasure({ request, requested, erased }: Erasure) {
  const { shop_id, client_id, key_id } = request;
  return {
    erasure_id: key_id,
    shop_id,
    client_id,
    status: erased ? 'erased' : 'in_progress',
    requested_by: requested.metadata.actor.replace(/^operator:/, ''),
    requested_at: requested.created.toISOString(),
    erased_at: erased?.event.created.toISOString() ?? null,
    operations: erased?.data.operations ?? null,
    operations_in_clear: erased?.data.in_clear ?? null,
    receipt_files: erased?.data.receipt_files ?? null,
  };
}
