import { z } from 'zod';
import { projectLateFact, readResolving, resolvedRow } from '#projections/suspense/project.ts';
import { decodeSuspenseCursor, findSuspense, listSuspense } from '#projections/suspense/query.ts';
import { moneyResolutions } from '#shared/domain/ledger/events.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import { noteText } from '#shared/platform/http/texts.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { limitParameter, readCursor, readQuery, shopIdParameter } from '../query.ts';
import { readPathId } from '#shared/application/directory/command-shop.ts';
import { resolveSuspense } from '#shared/application/ledger/resolve-suspense.ts';
import { viewSuspense } from './view.ts';

const suspenseQuery = z.strictObject({
  shop_id: shopIdParameter,
  status: z.enum(['open', 'resolved']).optional(),
  cursor: z.string().max(400).optional(),
  limit: limitParameter,
});

export const resolveBody = z.strictObject({
  resolution: z.enum([...moneyResolutions, 'acknowledge']),
  note: noteText,
});

/** Late facts (R13.7, R13.10), and operators' decisions on them. */
export function registerSuspense(app: AdminApp, dependencies: AdminDependencies): void {
  const { db } = dependencies;

  // Newest first.
  app.get('/admin/v1/suspense', async (c) => {
    const { shop_id: shopId, cursor: text, ...query } = readQuery(c, suspenseQuery);
    const cursor = readCursor(text, decodeSuspenseCursor);
    const page = await fromDatabase(listSuspense(db, { shopId, cursor, ...query }));
    return c.json({ entries: page.entries.map(viewSuspense), next_cursor: page.nextCursor });
  });

  app.post('/admin/v1/suspense/:entry_id/resolve', async (c) => {
    const entryId = readPathId(c.req.param('entry_id'));
    const { resolution, note } = validate(resolveBody, await readJson(c));
    // Only finds the stream: the fact is read from the log.
    const row = await fromDatabase(findSuspense(db, entryId));
    if (!row) throw new Problem('not_found');
    const operationId = row.operation_id;
    const decision = { entryId, operationId, resolution, note };
    const { fact, resolved } = await resolveSuspense(dependencies, decision, operatorOrigin(c));
    const resolving = readResolving(resolved);
    if (!resolving) throw new Error(`${resolved.stream} ${resolved.revision} resolves nothing`);
    return c.json(viewSuspense(resolvedRow(projectLateFact(fact), resolving, resolved)));
  });
}
