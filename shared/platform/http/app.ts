import { Hono } from 'hono';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { inScope } from '#shared/platform/tracing/scope.ts';
import { beginRequestSpan } from '#shared/platform/tracing/tracing.ts';
import { isProbe, limitAnonymous, type Anonymous } from './anonymous-limit.ts';
import { setAnswerHeader } from './answer-header.ts';
import { createEarlyRefusal, type FindRefusal, type RefuseEarly } from './early-refusal.ts';
import { requireKnownHostOnLoopback } from './known-host.ts';
import { createHttpMetrics, type Metrics } from './metrics.ts';
import { redactKeys } from '#shared/platform/logging/redact.ts';
import { Problem, toProblem, problemResponse } from './problems.ts';
import { requestIdFrom } from './request-id.ts';

/** What every request of every service has. */
type BaseVariables = { requestId: string };
export type AppEnv<More extends object = object> = { Variables: BaseVariables & More };

export type AppOptions = {
  logger: Logger;
  metrics: Metrics;
  /** Why the service can't do its work now; undefined if it can. Asked on every /readyz. */
  notReady?: () => Promise<string | undefined> | string | undefined;
  /** Limits the requests that show no credential, on ports that everybody reaches. */
  anonymous?: Anonymous;
  /** What a server refuses before it calls the app. */
  findRefusal?: FindRefusal;
};

/** An app, with what `listen` calls before it. */
export type App<Env extends AppEnv> = Hono<Env> & { refuseEarly: RefuseEarly | undefined };

/**
 * The app that every HTTP service starts from: request ids, problem+json for whatever goes wrong,
 * probes (R1.9), metrics, a span and one log line a request. A service adds its authentication,
 * then its routes.
 */
export function createApp<Env extends AppEnv>({
  logger,
  metrics,
  notReady,
  anonymous,
  findRefusal,
}: AppOptions): App<Env> {
  const http = createHttpMetrics(metrics);
  const refuseEarly = findRefusal && createEarlyRefusal(findRefusal, http);
  const app = Object.assign(new Hono<Env>(), { refuseEarly });

  app.use(async (c, next) => {
    const answered = http.begin();
    const startedAt = performance.now();
    const requestId = requestIdFrom(c.req.header('x-request-id'));
    c.set('requestId', requestId);
    const span = isProbe(c.req.path) ? undefined : beginRequestSpan(c.req.header('traceparent'));
    // A client may send its API key as the id by mistake: it is masked in logs and traces.
    const shownId = redactKeys(requestId);
    await inScope({ requestId: shownId, span: span?.context }, async () => {
      await next();
      setAnswerHeader(c, 'x-request-id', requestId);
      const { method } = c.req;
      // Hono drops the body of HEAD: a stream that nobody reads would stay open and hold its
      // resources.
      if (method === 'HEAD') void c.res.body?.cancel().catch(() => undefined);
      const { status } = c.res;
      const route = metricRoute(c.req.routePath);
      answered({ method, route, code: status });
      span?.set({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'gateway.request_id': shownId,
      });
      span?.end({ name: `${method} ${route}`, failed: status >= 500 });
      // The route, not the path, which may hold anything.
      logger.debug({ method, route, status, durationMs: performance.now() - startedAt }, 'request');
    });
  });

  // Probes have no limit; a span of each would be noise.
  if (anonymous) app.use(limitAnonymous(anonymous));

  app.get('/livez', () => new Response(null, { status: 204 }));
  const readiness = async () => {
    const reason = await notReady?.();
    if (reason !== undefined) throw new Problem('not_ready', { detail: reason });
    return new Response(null, { status: 204 });
  };
  app.get('/readyz', readiness);
  app.get('/healthz', readiness);

  app.notFound((c) =>
    problemResponse(new Problem('route_not_found', { detail: noRoute(c) }), at(c)),
  );
  app.onError((error, c) => {
    const { problem, fault } = toProblem(error);
    if (fault) logger.error({ err: fault.err }, fault.what);
    return problemResponse(problem, at(c));
  });
  return app;
}

/** Answers 405 where a path is there and the method is not. Registered after all routes. */
export function refuseOtherMethods<Env extends AppEnv>(app: Hono<Env>): void {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue;
    const allowed = methods.get(path) ?? new Set();
    methods.set(path, method === 'GET' ? allowed.add('GET').add('HEAD') : allowed.add(method));
  }
  for (const [path, allowed] of methods) {
    const methodNames = [...allowed].join(', ');
    app.all(path, (c) => {
      const detail = `${c.req.method} is not allowed at ${shortPath(c)}: use ${methodNames}`;
      throw new Problem('method_not_allowed', { detail, headers: { Allow: methodNames } });
    });
  }
}

/** GET /metrics, for internal ports; a page in a browser on this machine is refused too. */
export function registerMetrics<Env extends AppEnv>(app: Hono<Env>, metrics: Metrics): void {
  app.get('/metrics', requireKnownHostOnLoopback, async (c) =>
    c.body(await metrics.metrics(), 200, { 'content-type': metrics.contentType }),
  );
}

const shortPath = ({ req }: { req: { path: string } }): string =>
  req.path.length > 200 ? `${req.path.slice(0, 199)}…` : req.path;

/** Says so where the path begins twice with the same segment: the base URL has it already. */
function noRoute(c: { req: { path: string } }): string {
  const [, prefix] = /^(\/[^/]+)\1(\/|$)/.exec(c.req.path) ?? [];
  const hint = prefix === undefined ? '' : `: leave ${prefix} out of the base URL`;
  return `there is nothing at ${shortPath(c)}${hint}`;
}

function at(c: { req: { path: string }; get(key: 'requestId'): string }) {
  return { path: c.req.path, requestId: c.get('requestId') };
}

/** The route's pattern, not the path: a metric may not grow with what clients ask for. */
function metricRoute(pattern: string): string {
  return pattern === '/*' || pattern === '*' ? 'unmatched' : pattern;
}
