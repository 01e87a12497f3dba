import { z } from 'zod';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import { clientIdText } from '#shared/platform/http/texts.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { createErasureModels } from './models.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { readErasure, type Erasure } from '#shared/application/personal-data/read-erasure.ts';
import { requestErasure } from '#shared/application/personal-data/request-erasure.ts';

/**
 * The client is in the body, not in the path: a client_id may be personal, and paths are logged.
 */
export const erasureBody = z.strictObject({ client_id: clientIdText });

/** Erasure of a client's personal data (docs/operators/personal-data.md). */
export function registerErasure(app: AdminApp, dependencies: AdminDependencies): void {
  const ports = { ...dependencies, models: createErasureModels(dependencies) };
  app.post('/admin/v1/shops/:shop_id/erasures', async (c) => {
    const shopId = readPathId(c.req.param('shop_id'));
    const { client_id: clientId } = validate(erasureBody, await readJson(c));
    await readShop(dependencies.store, shopId);
    const erasure = await requestErasure(ports, { shopId, clientId }, operatorOrigin(c));
    return c.json(viewErasure(erasure), erasure.erased ? 200 : 202);
  });

  app.get('/admin/v1/shops/:shop_id/erasures/:erasure_id', async (c) => {
    const shopId = readPathId(c.req.param('shop_id'));
    const keyId = c.req.param('erasure_id');
    const erasure = /^[\w-]{22}$/.test(keyId)
      ? await fromStore(readErasure(dependencies.store, keyId))
      : undefined;
    if (erasure?.request.shop_id !== shopId) throw new Problem('not_found');
    return c.json(viewErasure(erasure));
  });
}

/** The erasure as the admin API shows it. */
function viewErasure({ request, requested, erased }: Erasure) {
  const { shop_id, client_id, key_id } = request;
  return {
    erasure_id: key_id,
    shop_id,
    client_id,
    status: erased ? 'erased' : 'in_progress',
    requested_by: requested.metadata.actor.replace(/^operator:/, ''),
    requested_at: requested.created.toISOString(),
    erased_at: erased?.event.created.toISOString() ?? null,
    operations: erased?.data.operations ?? null,
    operations_in_clear: erased?.data.in_clear ?? null,
    receipt_files: erased?.data.receipt_files ?? null,
  };
}
