import { sql, type Kysely } from 'kysely';
import { z } from 'zod';
import { joinConditions, where } from '../conditions.ts';
import { cursorDecoder, encodeCursor } from '../cursor.ts';
import { cursorTime } from '../operations/query.ts';
import type { SuspenseRow } from './table.ts';

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
  const conditions = [
    ...where(shopId, (id) => sql`shop_id = ${id}`),
    ...where(status, (wanted) => sql`status = ${wanted}`),
    ...where(
      cursor,
      ({ receivedAt, entryId }) =>
        sql`(received_at, entry_id) < (${receivedAt}::timestamptz, ${entryId})`,
    ),
  ];
  const { rows } = await sql<SuspenseRow>`
    select * from gateway.suspense where ${joinConditions(conditions)}
    order by received_at desc, entry_id desc limit ${limit + 1}`.execute(db);
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
  const { rows } = await sql<SuspenseRow>`
    select * from gateway.suspense where entry_id = ${entryId}`.execute(db);
  return rows[0];
}

export const decodeSuspenseCursor = cursorDecoder(
  z.tuple([cursorTime, z.guid()]).transform(([receivedAt, entryId]) => ({ receivedAt, entryId })),
);
