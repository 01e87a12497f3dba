import { z } from 'zod';
import type { AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { decodeRevision, readCursor } from '#shared/platform/http/cursor.ts';
import { limitParameter, readQuery } from '../query.ts';
import { listAudits } from './read.ts';

const query = z.strictObject({ limit: limitParameter, cursor: z.string().optional() });

/** Recorded audits (docs/analysts/audit.md). */
export function registerAudits(app: AdminApp, { store }: Pick<AdminDependencies, 'store'>): void {
  app.get('/admin/v1/audits', async (c) => {
    const { limit, cursor } = readQuery(c, query);
    const before = readCursor(cursor, decodeRevision);
    const page = await fromStore(listAudits(store, { limit, before }));
    return c.json({ audits: page.audits, next_cursor: page.nextCursor });
  });
}
