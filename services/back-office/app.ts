import type { Context } from 'hono';
import { createAnonymousLimit } from '#shared/platform/http/anonymous-limit.ts';
import {
  createApp,
  refuseOtherMethods,
  registerMetrics,
  type AppOptions,
} from '#shared/platform/http/app.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { RateLimit } from '#shared/platform/http/token-buckets.ts';
import {
  authenticateOperator,
  authenticateStill,
  type AdminApp,
  type AdminEnv,
} from './api/authentication.ts';
import { consoleCookie, createConsole } from './console/app.ts';
import type { AdminDependencies } from './api/dependencies.ts';
import { apiRoutes } from './api/routes.ts';
import { checkRole } from './api/roles.ts';

/** The admin API and the console, without any IO of their own. */
export function createAdminApi(
  dependencies: AdminDependencies & AppOptions,
  /** The limit of one address without a token or a session; only tests set another. */
  anonymousLimit?: RateLimit,
): AdminApp {
  const limit = createAnonymousLimit({ ...dependencies, limit: anonymousLimit });
  const cookie = consoleCookie(dependencies);
  const showsCredential = (c: Context) =>
    isApiPath(c) ? Boolean(c.req.header('authorization')) : cookie.read(c) !== undefined;
  const anonymous = { limit, showsCredential, isAskedForOne: isApiPath };
  const app = createApp<AdminEnv>({ ...dependencies, anonymous });
  registerMetrics(app, dependencies.metrics);
  app.use(
    '/admin/*',
    authenticateOperator(dependencies),
    checkRole,
    authenticateStill(dependencies),
  );
  for (const register of apiRoutes) register(app, dependencies);
  refuseOtherMethods(app);
  // Unknown paths below the API are answered as the API does; all others belong to the console.
  app.all('/admin/*', () => {
    throw new Problem('route_not_found');
  });
  app.route('/', createConsole(dependencies, { anonymous: limit }));
  return app;
}

/** All of these are 401 without a token, whatever else they are (R16.1). */
const isApiPath = ({ req }: Context): boolean => req.path.startsWith('/admin/');
