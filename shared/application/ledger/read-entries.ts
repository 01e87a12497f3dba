import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { decodeRevision, readCursor } from '#shared/platform/http/cursor.ts';

/**
 * A page of a ledger's entries from the log, the newest first.
 * @throws Problem invalid_request for an invalid cursor; not_ready
 */
export async function readEntries(
  store: Pick<EventStore, 'read'>,
  of: { shopId: string; currency: string },
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<{ events: readonly StoredEvent[]; nextCursor: string | null }> {
  const fromRevision = readCursor(cursor, decodeRevision);
  const events = await fromStore(
    store.read(ledgerStream(of.shopId, of.currency), {
      direction: 'backwards',
      maxCount: limit,
      ...(fromRevision !== undefined && { fromRevision }),
    }),
  );
  const oldest = events.at(-1)?.revision ?? 0;
  return { events, nextCursor: oldest > 0 ? String(oldest - 1) : null };
}
