import { sql, type Kysely } from 'kysely';
import { z } from 'zod';
import { cursorDecoder, encodeCursor } from '../cursor.ts';
import { cursorTime } from '../operations/query.ts';
import type { SuspenseRow } from './table.ts';

/** The tables that these queries read. */
type SuspenseDatabase = { 'gateway.suspense': SuspenseRow };

type SuspenseCursor = { receivedAt: string; entryId: string };
type SuspensePage = { entries: SuspenseRow[]; nextCursor: string | null };

/** Late facts, newest first, of one shop or of all, by keyset. */
export async function listSuspense<DB>(
  db: Kysely<DB>,
  {
    shopId,
    status,
    cursor,
    limit,
  }: {
    shopId?: string | undefined;
    status?: SuspenseRow['status'] | undefined;
    cursor?: SuspenseCursor | undefined;
    limit: number;
  },
): Promise<SuspensePage> {
  let query = (db as unknown as Kysely<SuspenseDatabase>)
    .selectFrom('gateway.suspense')
    .selectAll();
  if (shopId !== undefined) query = query.where('shop_id', '=', shopId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (cursor) {
    query = query.where(
      sql<boolean>`(received_at, entry_id) < (${cursor.receivedAt}::timestamptz, ${cursor.entryId})`,
    );
  }
  const rows = await query
    .orderBy('received_at', 'desc')
    .orderBy('entry_id', 'desc')
    .limit(limit + 1)
    .execute();
  const entries = rows.slice(0, limit);
  const last = entries.at(-1);
  const nextCursor =
    rows.length > limit && last
      ? encodeCursor([last.received_at.toISOString(), last.entry_id])
      : null;
  return { entries, nextCursor };
}

/** A late fact by its id; undefined if there is none. */
export async function findSuspense<DB>(
  db: Kysely<DB>,
  entryId: string,
): Promise<SuspenseRow | undefined> {
  return (db as unknown as Kysely<SuspenseDatabase>)
    .selectFrom('gateway.suspense')
    .selectAll()
    .where('entry_id', '=', entryId)
    .executeTakeFirst();
}

export const decodeSuspenseCursor = cursorDecoder(
  z.tuple([cursorTime, z.guid()]).transform(([receivedAt, entryId]) => ({ receivedAt, entryId })),
);
