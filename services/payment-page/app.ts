import type { Context, Hono } from 'hono';
import { createApp, refuseOtherMethods, type AppOptions } from '#shared/platform/http/app.ts';
import { Problem, toProblem } from '#shared/platform/http/problems.ts';
import {
  keepPreferences,
  readPreferences,
  refuseCrossSite,
  securePages,
} from '#shared/platform/pages/index.ts';
import { assets } from './assets.ts';
import type { PayDependencies, PayEnv } from './dependencies.ts';
import { registerPayment } from './routes.ts';
import { errorPage } from './view/error-page.ts';

/** The hosted payment page, without any IO of its own. */
export function createPaymentPage(dependencies: PayDependencies & AppOptions): Hono<PayEnv> {
  const { logger } = dependencies;
  const app = createApp<PayEnv>(dependencies);
  // Anybody who knows the address may pay, but forms on other sites' pages are refused.
  app.use(securePages(), keepPreferences(), refuseCrossSite({ allowUnknown: true }));
  assets.register(app);
  registerPayment(app, dependencies);
  refuseOtherMethods(app);

  const answer = (problem: Problem, c: Context<PayEnv>) => {
    const { body, ...init } = errorPage(problem, {
      requestId: c.get('requestId'),
      preferences: readPreferences(c),
    });
    return new Response(body, init);
  };
  app.notFound((c) => answer(new Problem('route_not_found'), c));
  app.onError((error, c) => {
    const { problem, fault } = toProblem(error);
    if (fault) logger.error({ err: fault.err, requestId: c.get('requestId') }, fault.what);
    return answer(problem, c);
  });
  return app;
}
