import type { Route } from '#shared/domain/routing.ts';
import type { ShopSettings } from '#shared/domain/shop/events.ts';
import { refuseReturnUrl } from '#shared/domain/shop/return-url.ts';
import { parseExactMinor } from '../operation/exact-arithmetic.ts';

/** Why no operator can have set these: the admin API refuses them. */
export function whyNotSettings({
  return_url: url,
  overdraft_limits: limits,
}: ShopSettings): string | undefined {
  // Whether HTTP is allowed depends on the deployment.
  const why = url === undefined ? undefined : refuseReturnUrl(url, { allowHttp: true });
  if (why !== undefined) return `the return_url ${why}`;
  const negative = Object.entries(limits).find(([, limit]) => parseExactMinor(limit) < 0n);
  return negative && `the overdraft limit in ${negative[0]} is ${negative[1]}`;
}

/** The same of routes. */
export function whyNotRoutes(routes: readonly Route[]): string | undefined {
  const wrong = routes.find(
    ({ min_amount: min, max_amount: max }) =>
      min !== undefined && max !== undefined && parseExactMinor(min) > parseExactMinor(max),
  );
  return wrong && `a route takes ${wrong.min_amount} at least and ${wrong.max_amount} at most`;
}
