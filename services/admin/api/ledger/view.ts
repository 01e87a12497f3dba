import { decodeLedgerEvent } from '#shared/domain/ledger/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';

/**
 * An entry of the books as auditors see it: as it is stored, where, since when and on whose
 * account.
 */
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
