import { replaceShopRoutes } from '#shared/application/shops/set-up.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { readTargets, routesBody, routesRules } from './bodies.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import { hashRoutes } from '#shared/application/shops/routes-version.ts';

export function registerRoutes(app: AdminApp, dependencies: AdminDependencies): void {
  const { store } = dependencies;
  app.get('/admin/v1/shops/:shop_id/routes', async (c) => {
    const { routes } = await readShop(store, readPathId(c.req.param('shop_id')));
    return c.json({ routes, version: hashRoutes(routes) });
  });

  app.put('/admin/v1/shops/:shop_id/routes', async (c) => {
    const shopId = readPathId(c.req.param('shop_id'));
    const rules = routesRules(await readTargets(dependencies));
    const { routes, replaces } = validate(routesBody, await readJson(c), rules);
    const by = { shopId, origin: operatorOrigin(c) };
    const shop = await replaceShopRoutes(store, { ...by, routes, replaces });
    return c.json({ routes: shop.routes });
  });
}
