import type { Hono } from 'hono';
import { createApp, refuseOtherMethods } from '#shared/http/app.ts';
import type { Metrics } from '#shared/http/metrics.ts';
import { createTokenBuckets, type RateLimiter } from '#shared/http/token-buckets.ts';
import { createBooksFirst } from '#shared/operations/books-first.ts';
import { authenticate, type MerchantEnv } from './authentication.ts';
import { registerBalances } from './balances/routes.ts';
import { registerCancel } from './cancel/routes.ts';
import { registerConfirm } from './confirm/routes.ts';
import { registerCreate } from './create/routes.ts';
import { createCurrentReads } from './current-reads.ts';
import type { Dependencies } from './dependencies.ts';
import { limitInFlight } from './limits/in-flight.ts';
import { limitRate } from './limits/rate-limit.ts';
import { registerMethods } from './methods/routes.ts';
import { registerReference } from './reference/routes.ts';
import { registerReceiptFiles } from './receipt-files/routes.ts';
import { registerState } from './state/routes.ts';

/** The merchant API (specification 4), without any IO of its own. */
export function createMerchantApi(
  given: Omit<Dependencies, 'booksFirst' | 'current'> & {
    metrics: Metrics;
    notReady(): Promise<string | undefined>;
    /** Requests under way at a time; `maxInFlight` unless a test says otherwise. */
    inFlight?: { total: number; ofOneShop: number };
    /** Without one that instances share, this one counts for itself. */
    limiter?: RateLimiter;
    /** Where merchants reach it: what the documentation's examples say. */
    gatewayUrl?: string;
  },
): Hono<MerchantEnv> {
  const booksFirst = createBooksFirst({ ...given, actor: 'service:merchant-api' });
  const dependencies: Dependencies = { ...given, booksFirst, current: createCurrentReads(given) };
  const app = createApp<MerchantEnv>(given);
  const inFlight = limitInFlight(given.inFlight);
  app.use(
    '/v1/*',
    inFlight.all,
    authenticate(dependencies.directory, dependencies.keyUse),
    limitRate(given.limiter ?? createTokenBuckets()),
    inFlight.ofShop,
  );
  registerReference(app, { gateway: given.gatewayUrl ?? 'http://localhost:8080' });
  registerMethods(app);
  registerCreate(app, { ...dependencies, metrics: given.metrics });
  registerCancel(app, dependencies);
  registerConfirm(app, dependencies);
  registerState(app, dependencies);
  registerReceiptFiles(app, dependencies);
  registerBalances(app, dependencies);
  refuseOtherMethods(app);
  return app;
}
