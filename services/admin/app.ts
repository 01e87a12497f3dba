import type { Hono } from 'hono';
import { createApp, type AppOptions } from '#shared/http/app.ts';
import { Problem } from '#shared/http/problems.ts';
import { authenticate, type AdminEnv } from './authentication.ts';
import type { Dependencies } from './dependencies.ts';
import { registerApiKeys } from './setup/api-keys.ts';
import { registerMerchants } from './setup/merchants.ts';
import { registerRoutes } from './setup/routes.ts';
import { registerShops } from './setup/shops.ts';
import { registerOperations } from './operations/routes.ts';
import { registerProjections } from './operations/projections.ts';
import { registerSuspense } from './operations/suspense.ts';
import { registerMessages } from './webhook/messages.ts';
import { registerWebhook } from './webhook/endpoint.ts';

/** The admin API (contract §6), without any IO of its own. */
export function createAdminApi(dependencies: Dependencies & AppOptions): Hono<AdminEnv> {
  const { metrics } = dependencies;
  const app = createApp<AdminEnv>(dependencies);
  app.get('/metrics', async (c) =>
    c.body(await metrics.metrics(), 200, { 'content-type': metrics.contentType }),
  );
  app.use('/admin/*', authenticate(dependencies.tokens));
  registerMerchants(app, dependencies);
  registerShops(app, dependencies);
  registerApiKeys(app, dependencies);
  registerRoutes(app, dependencies);
  registerWebhook(app, dependencies);
  registerMessages(app, dependencies);
  registerOperations(app, dependencies);
  registerProjections(app, dependencies);
  registerSuspense(app, dependencies);
  refuseOtherMethods(app);
  return app;
}

/** A path that is there, with a method that is not. */
function refuseOtherMethods(app: Hono<AdminEnv>): void {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method !== 'ALL') methods.set(path, (methods.get(path) ?? new Set()).add(method));
  }
  for (const [path, allowed] of methods) {
    app.all(path, () => {
      throw new Problem('method_not_allowed', { headers: { Allow: [...allowed].join(', ') } });
    });
  }
}
