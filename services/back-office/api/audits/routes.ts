import type { Hono } from 'hono';
import { z } from 'zod';
import type { AdminEnv } from '../authentication.ts';
import type { Dependencies } from '../dependencies.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { invalidCursor, limitParameter, readQuery } from '../query.ts';
import { listAudits } from './read.ts';

const query = z.strictObject({ limit: limitParameter, cursor: z.string().optional() });

/** Recorded audits (docs/analysts/audit.md). */
export function registerAudits(app: Hono<AdminEnv>, { store }: Pick<Dependencies, 'store'>): void {
  app.get('/admin/v1/audits', async (c) => {
    const { limit, cursor } = readQuery(c, query);
    const page = await fromStore(listAudits(store, { limit, before: beforeOf(cursor) }));
    return c.json({ audits: page.audits, next_cursor: page.nextCursor });
  });
}

/** @throws Problem invalid_request for an invalid cursor */
export function beforeOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^\d{1,9}$/.test(cursor)) throw invalidCursor();
  return Number(cursor);
}
