import type { Hono } from 'hono';
import { createApp } from '#shared/http/app.ts';
import type { Metrics } from '#shared/http/metrics.ts';
import { Problem } from '#shared/http/problems.ts';
import { authenticate, type MerchantEnv } from './authentication.ts';
import { registerCreate } from './create/routes.ts';
import type { Dependencies } from './dependencies.ts';
import { registerState } from './state/routes.ts';

/** The merchant API (specification 4), without any IO of its own. */
export function createMerchantApi(
  dependencies: Dependencies & { metrics: Metrics; notReady(): Promise<string | undefined> },
): Hono<MerchantEnv> {
  const app = createApp<MerchantEnv>(dependencies);
  app.use('/v1/*', authenticate(dependencies.directory));
  registerCreate(app, dependencies);
  registerState(app, dependencies);
  // A path that is there, with a method that is not.
  for (const path of new Set(
    app.routes.filter((route) => route.method === 'POST').map((route) => route.path),
  )) {
    app.all(path, () => {
      throw new Problem('method_not_allowed', { headers: { Allow: 'POST' } });
    });
  }
  return app;
}
