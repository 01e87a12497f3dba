import { z } from 'zod';
import { closeByHand } from '#shared/application/operations/close-by-hand.ts';
import { createEntryPoster } from '#shared/application/operations/post-before-answer.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { noteText } from '#shared/platform/http/texts.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { openEvents, showOperation } from './read.ts';

export const closeBody = z.strictObject({
  note: noteText,
  /** Also if the provider reports that it has accepted the operation and not ended it. */
  force: z.boolean().default(false),
});

/** POST /admin/v1/operations/{operation_id}/close (R13.11). */
export function registerClose(
  app: AdminApp,
  dependencies: Pick<
    AdminDependencies,
    'store' | 'ledgers' | 'personal' | 'accessLog' | 'logger' | 'connectors'
  >,
): void {
  const { store, personal, connectors } = dependencies;
  const entryPoster = createEntryPoster({ ...dependencies, actor: 'service:admin' });
  const ports = { store, personal, providers: connectors, entryPoster };
  app.post('/admin/v1/operations/:operation_id/close', async (c) => {
    const { note, force } = validate(closeBody, await readJson(c));
    const operationId = c.req.param('operation_id').toLowerCase();
    const closed = await closeByHand(ports, operationId, {
      note,
      force,
      origin: operatorOrigin(c),
    });
    const by = { operationId, operator: c.get('operator') };
    return c.json(showOperation(await openEvents(dependencies, closed, by)));
  });
}
