import type { Hono } from 'hono';
import { z } from 'zod';
import { decodeSuspenseCursor, listSuspense } from '#projections/suspense/query.ts';
import type { SuspenseRow } from '#projections/suspense/table.ts';
import type { AdminEnv } from '../authentication.ts';
import { fromDatabase } from '../database.ts';
import type { Dependencies } from '../dependencies.ts';
import { invalidCursor, limitParameter, readQuery, shopIdParameter } from '../query.ts';

const suspenseQuery = z.strictObject({
  shop_id: shopIdParameter,
  cursor: z.string().max(400).optional(),
  limit: limitParameter,
});

/** `GET /admin/v1/suspense`: what providers reported after an operation's end (contract §4, §6), newest first. */
export function registerSuspense(app: Hono<AdminEnv>, { db }: Dependencies): void {
  app.get('/admin/v1/suspense', async (c) => {
    const query = readQuery(c, suspenseQuery);
    const cursor = query.cursor === undefined ? undefined : decodeSuspenseCursor(query.cursor);
    if (query.cursor !== undefined && !cursor) throw invalidCursor();
    const page = await fromDatabase(listSuspense(db, { shopId: query.shop_id, cursor, limit: query.limit }));
    return c.json({ entries: page.entries.map(viewEntry), next_cursor: page.nextCursor });
  });
}

function viewEntry({ revision: _revision, position: _position, ...row }: SuspenseRow) {
  const { kind, currency, amount, leg_id, completed_at, reported_status, operation_status, ...about } = row;
  return {
    ...about,
    kind,
    ...(kind === 'late_money'
      ? { currency, amount, leg_id, completed_at: completed_at?.toISOString() }
      : { reported_status, operation_status }),
    received_at: row.received_at.toISOString(),
  };
}
