import type { Hono } from 'hono';
import { createApp, refuseOtherMethods, registerMetrics, type AppOptions } from '#shared/http/app.ts';
import { registerAdjustments } from './adjustments/routes.ts';
import { authenticate, type AdminEnv } from './authentication.ts';
import type { Dependencies } from './dependencies.ts';
import { registerLedger } from './ledger/routes.ts';
import { registerApiKeys } from './setup/api-keys.ts';
import { registerMerchants } from './setup/merchants.ts';
import { registerRoutes } from './setup/routes.ts';
import { registerShops } from './setup/shops.ts';
import { registerOperations } from './operations/routes.ts';
import { registerProjections } from './operations/projections.ts';
import { registerReview } from './operations/review.ts';
import { checkRole } from './roles.ts';
import { registerTokens } from './tokens/routes.ts';
import { registerSuspense } from './suspense/routes.ts';
import { registerMessages } from './webhook/messages.ts';
import { registerWebhook } from './webhook/endpoint.ts';

/** The admin API (contract §6), without any IO of its own. */
export function createAdminApi(dependencies: Dependencies & AppOptions): Hono<AdminEnv> {
  const app = createApp<AdminEnv>(dependencies);
  registerMetrics(app, dependencies.metrics);
  app.use('/admin/*', authenticate(dependencies), checkRole);
  registerMerchants(app, dependencies);
  registerShops(app, dependencies);
  registerApiKeys(app, dependencies);
  registerRoutes(app, dependencies);
  registerAdjustments(app, dependencies);
  registerWebhook(app, dependencies);
  registerMessages(app, dependencies);
  registerLedger(app, dependencies);
  registerOperations(app, dependencies);
  registerReview(app, dependencies);
  registerProjections(app, dependencies);
  registerSuspense(app, dependencies);
  registerTokens(app, dependencies);
  refuseOtherMethods(app);
  return app;
}
