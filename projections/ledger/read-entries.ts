import type { Kysely } from 'kysely';
import { findEntries } from './query.ts';
import { findMerchantOperationIds } from '../operations/find-existing.ts';
import { decodeLedgerEvent, ledgerStream } from '#shared/domain/ledger/events.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { decodeRevision, readCursor } from '#shared/platform/http/cursor.ts';

type Stores<DB> = { db: Kysely<DB>; store: Pick<EventStore, 'read'> };

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

/**
 * An operation's entries from the log, of all shops unless one is named; the read model only gives
 * their positions.
 */
export async function readOperationEntries<DB>(
  { db, store }: Stores<DB>,
  operationId: string,
  { ofShop }: { ofShop?: string } = {},
): Promise<StoredEvent[]> {
  const positions = await fromDatabase(findEntries(db, operationId));
  const read = await Promise.all(
    positions
      .filter(({ shop_id: shopId }) => ofShop === undefined || shopId === ofShop)
      .map(async ({ shop_id: shopId, currency, revision }) => {
        const stream = ledgerStream(shopId, currency);
        const [event] = await fromStore(
          store.read(stream, { fromRevision: revision, maxCount: 1 }),
        );
        if (!event) throw new Error(`${stream} has no revision ${revision}`);
        return event;
      }),
  );
  return read;
}

/** The merchant's ids of the operations that entries are about. */
export function readMerchantIds<DB>(
  db: Kysely<DB>,
  events: readonly StoredEvent[],
): Promise<ReadonlyMap<string, string>> {
  const entries = events.map((event) => decodeLedgerEvent(event).data);
  const operationIds = entries.flatMap((entry) =>
    entry.kind === 'adjustment' ? [] : [entry.operation_id],
  );
  return fromDatabase(findMerchantOperationIds(db, operationIds));
}
