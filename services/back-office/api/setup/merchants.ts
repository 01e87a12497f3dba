import { createMerchant } from '#shared/application/shops/set-up.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { merchantBody } from './bodies.ts';

export function registerMerchants(app: AdminApp, { store }: AdminDependencies): void {
  app.post('/admin/v1/merchants', async (c) => {
    const { name } = validate(merchantBody, await readJson(c));
    return c.json(await createMerchant(store, { name, origin: operatorOrigin(c) }), 201);
  });
}
