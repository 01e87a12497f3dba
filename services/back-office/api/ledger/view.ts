import { decodeLedgerEvent } from '#shared/domain/ledger/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';

/** A ledger entry as auditors see it: as stored, with its place, time and actor. */
export function viewEntry(event: StoredEvent) {
  const { shop_id, currency, kind, legs, balance_after, reserved_after, ...about } =
    decodeLedgerEvent(event).data;
  return {
    entry_id: event.id,
    shop_id,
    currency,
    revision: event.revision,
    kind,
    ...about,
    legs,
    balance_after,
    reserved_after,
    created_at: event.created.toISOString(),
    metadata: event.metadata,
  };
}
