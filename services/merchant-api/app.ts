import type { Context, Hono } from 'hono';
import { createAnonymousLimit } from '#shared/platform/http/anonymous-limit.ts';
import { createApp, refuseOtherMethods, type App } from '#shared/platform/http/app.ts';
import type { Sender } from '#shared/application/sent-by.ts';
import type { IncomingBodyLimits } from '#shared/platform/http/incoming-bodies.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { createRefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import {
  createTokenBuckets,
  type RateLimit,
  type RateLimiter,
} from '#shared/platform/http/token-buckets.ts';
import type { UploadLimits } from '#shared/application/receipts/receipt-form.ts';
import { createRuns } from '#shared/application/payout-batches/batches.ts';
import { createEntryPoster } from '#shared/application/operations/post-before-answer.ts';
import { authenticateMerchant, type MerchantEnv } from './authentication.ts';
import { registerBalanceRoutes } from './endpoints/balances/routes.ts';
import { registerCancel } from './endpoints/cancel/routes.ts';
import { readConfirmForm, registerConfirm } from './endpoints/confirm/routes.ts';
import { registerCreate } from './endpoints/create/routes.ts';
import { createCurrentReads } from './current-reads.ts';
import type { MerchantDependencies } from './dependencies.ts';
import { readBodies } from './limits/bodies.ts';
import { registerMerchantExports } from './endpoints/exports/routes.ts';
import { registerList } from './endpoints/list/routes.ts';
import { bounded, limitInFlight, maxInFlight } from './limits/in-flight.ts';
import { createGate, readsOfLog, type GateOptions } from './load-shedding/gate.ts';
import { limitRate, limitSetupChanges } from './limits/rate-limit.ts';
import { createFindRefusal } from './limits/refuse-early.ts';
import { registerMethods } from './endpoints/methods/routes.ts';
import { registerPayoutBatches } from './endpoints/payout-batches/routes.ts';
import type { BatchWorker } from './payout-batches/worker.ts';
import { registerReceiptFiles } from './endpoints/receipt-files/routes.ts';
import { requireScope } from './scopes.ts';
import { registerMerchantStatements } from './endpoints/statements/routes.ts';
import { registerState } from './endpoints/state/routes.ts';
import { registerWebhookEndpoints } from './endpoints/webhook-endpoints/routes.ts';

/** The merchant API, without any IO of its own. */
export function createMerchantApi(
  options: Omit<MerchantDependencies, 'entryPoster' | 'current' | 'gate' | 'runs'> & {
    metrics: Metrics;
    notReady(): Promise<string | undefined>;
    /** Limits of requests in progress; only tests set them. */
    inFlight?: { total: number; perShop: number };
    /** Without `find` old repeats are refused under overload; only tests set the others. */
    gateOptions?: Pick<GateOptions, 'find' | 'limit' | 'burstMs'>;
    /** Limits of bodies being received; only tests set them. */
    incomingBodies?: IncomingBodyLimits<Sender>;
    uploads?: Partial<UploadLimits>;
    /** The limit of one address for requests without a key. */
    anonymousLimit?: RateLimit;
    /** How many proxies are in front of this service (GATEWAY_TRUSTED_PROXIES); none by default. */
    trustedProxies?: number;
    /** Milliseconds since the epoch, by which keys expire. */
    now?: () => number;
    /** A limiter that instances share; without it this instance counts for itself. */
    limiter?: RateLimiter;
    /** Starts the worker that creates the payouts of batches; without it another instance does. */
    batchWorker?: (dependencies: MerchantDependencies) => Pick<BatchWorker, 'begin'>;
    /** Registers the documentation, which shares the port and needs no key. */
    documentation?: (app: Hono<MerchantEnv>) => void;
  },
): App<MerchantEnv> {
  const entryPoster = createEntryPoster({ ...options, actor: 'service:merchant-api' });
  const gate = createGate({ ...options, ...options.gateOptions });
  const current = createCurrentReads(options);
  const runs = createRuns(options.store);
  const dependencies: MerchantDependencies = { ...options, entryPoster, current, gate, runs };
  const batchWorker = options.batchWorker?.(dependencies);
  const { directory, keyUse } = dependencies;
  const { trustedProxies = 0, logger, now = Date.now } = options;
  const limit = createAnonymousLimit({ trustedProxies, limit: options.anonymousLimit });
  const limiter = options.limiter ?? createTokenBuckets();
  const app = createApp<MerchantEnv>({
    ...options,
    anonymous: { limit, showsCredential, isAskedForOne: isApiPath },
    findRefusal: createFindRefusal({ directory, limiter, gate, anonymous: limit, now }),
  });
  const refused = createRefusedCredentials({ what: 'an API key', logger, trustedProxies });
  const byApiKey = bounded(maxInFlight.total, (apiKey: string) => directory.byApiKey(apiKey));
  app.use(
    '/v1/*',
    authenticateMerchant({ byApiKey }, { keyUse, refused, trustedProxies, now }),
    limitRate(limiter),
    requireScope,
    readBodies(trustedProxies, options.incomingBodies),
  );
  app.use('/v1/webhook-endpoints/*', limitSetupChanges(limiter));
  app.use('/v1/confirm_payment', readConfirmForm(trustedProxies, options.uploads));
  app.use('/v1/*', limitInFlight(options.inFlight));
  for (const path of readsOfLog) app.use(path, gate.limitReads);
  options.documentation?.(app);
  registerMethods(app);
  registerCreate(app, { ...dependencies, metrics: options.metrics });
  registerCancel(app, dependencies);
  registerConfirm(app, dependencies);
  registerState(app, dependencies);
  registerList(app, dependencies);
  registerMerchantExports(app, dependencies);
  registerMerchantStatements(app, dependencies);
  registerReceiptFiles(app, dependencies);
  registerBalanceRoutes(app, dependencies);
  registerWebhookEndpoints(app, dependencies);
  registerPayoutBatches(app, { ...dependencies, trustedProxies, batchWorker, limiter });
  refuseOtherMethods(app);
  return app;
}

/** All of these are 401 without a key, whatever else they are (R1.1). */
const isApiPath = ({ req }: Context): boolean => /^\/v1(?:\/|$)/.test(req.path);

/** A key, which is checked next, or a link to a receipt, which is signed. */
const showsCredential = (c: Context): boolean =>
  isApiPath(c) ? Boolean(c.req.header('x-api-key')) : c.req.path.startsWith('/receipts/');
