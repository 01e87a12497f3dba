import { decodeEvidenceEvent } from '#shared/domain/receipts/events.ts';
import type { StoredEvent } from '#shared/event-store/index.ts';
import type { EvidenceRow, ReceiptRow } from './tables.ts';

/** The row of an operation's evidence. Pure. @throws for a second event, or one that this version does not know */
export function projectEvidence(before: EvidenceRow | undefined, stored: StoredEvent): EvidenceRow {
  const { operation_id, shop_id, status, items } = decodeEvidenceEvent(stored).data;
  if (before) throw new Error('evidence is materialised once');
  return {
    operation_id,
    shop_id,
    status,
    receipts_count: items.length,
    materialised_at: stored.created,
    revision: stored.revision,
    position: stored.position.toString(),
  };
}

/** The rows of its items. Pure. */
export function receiptRows(stored: StoredEvent): ReceiptRow[] {
  const { operation_id, items } = decodeEvidenceEvent(stored).data;
  return items.map((item, index) => ({
    operation_id,
    ...item,
    number: index + 1,
    completed_at: new Date(item.completed_at),
  }));
}
