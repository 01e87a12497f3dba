import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { RouteScope } from '#shared/api/openapi/endpoint.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { MerchantEnv } from './authentication.ts';

type Handler = (c: Context<MerchantEnv>) => Response | Promise<Response>;

const scopes = new WeakMap<object, RouteScope>();

/** Declares which keys may use a route, with its handler: each route below /v1 has one. */
export function forScope(scope: RouteScope, handler: Handler): Handler {
  scopes.set(handler, scope);
  return handler;
}

/** Undefined for a handler that was declared for none. */
export const findScope = (handler: object): RouteScope | undefined => scopes.get(handler);

/**
 * Refuses a key with scopes where its scopes are not for the route. A path or a method that does
 * not exist is answered as to any key.
 * @throws Problem forbidden
 */
export const requireScope: MiddlewareHandler<MerchantEnv> = async (c, next) => {
  const { scopes: own } = c.get('keyLimits');
  if (own) {
    const route = matchedRoutes(c).find(({ method }) => method !== 'ALL');
    const scope = route && (findScope(route.handler) ?? 'all');
    if (scope === 'all')
      throw new Problem('forbidden', { detail: 'this request needs an API key without scopes' });
    if (scope && !own.includes(scope))
      throw new Problem('forbidden', { detail: `the API key does not have the scope ${scope}` });
  }
  await next();
};
