import type { Hono } from 'hono';
import {
  createApp,
  refuseOtherMethods,
  registerMetrics,
  type AppOptions,
} from '#shared/platform/http/app.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { authenticate, authenticateStill, type AdminEnv } from './authentication.ts';
import { createConsole } from './console/app.ts';
import type { Dependencies } from './dependencies.ts';
import { apiRoutes } from './api-routes.ts';
import { checkRole } from './roles.ts';

/** The admin API and the console, without any IO of their own. */
export function createAdminApi(dependencies: Dependencies & AppOptions): Hono<AdminEnv> {
  const app = createApp<AdminEnv>(dependencies);
  registerMetrics(app, dependencies.metrics);
  app.use('/admin/*', authenticate(dependencies), checkRole, authenticateStill(dependencies));
  for (const register of apiRoutes) register(app, dependencies);
  refuseOtherMethods(app);
  // Unknown paths below the API are answered as the API does; all others belong to the console.
  app.all('/admin/*', () => {
    throw new Problem('route_not_found');
  });
  app.route('/', createConsole(dependencies));
  return app;
}
