import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Role } from '#shared/domain/operator/events.ts';
import { settingRoles } from '#shared/domain/shop/settings/derive.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { AdminEnv } from './authentication.ts';

const everybody = ['admin', 'operator', 'auditor'] as const satisfies Role[];
const operators = ['admin', 'operator'] as const satisfies Role[];
const admins = ['admin'] as const satisfies Role[];

/**
 * The roles for every route of the admin API. An auditor reads everything. An operator also handles
 * operations, late money and messages, and switches providers and their accounts. Only an admin
 * sets up shops and accounts, adjusts balances and issues tokens.
 */
export const rolesByRoute: Readonly<Record<string, readonly Role[]>> = {
  'POST /admin/v1/merchants': admins,
  'POST /admin/v1/shops': admins,
  'GET /admin/v1/shops': everybody,
  'GET /admin/v1/shops/:shop_id': everybody,
  // Of each setting, its entry has the roles.
  'PATCH /admin/v1/shops/:shop_id': settingRoles,
  'POST /admin/v1/shops/:shop_id/api-keys': admins,
  'GET /admin/v1/shops/:shop_id/api-keys': everybody,
  'DELETE /admin/v1/api-keys/:key_id': admins,
  'GET /admin/v1/shops/:shop_id/routes': everybody,
  'PUT /admin/v1/shops/:shop_id/routes': admins,
  'GET /admin/v1/providers': everybody,
  'POST /admin/v1/providers/:provider/switch-off': operators,
  'POST /admin/v1/providers/:provider/switch-on': operators,
  'GET /admin/v1/providers/:provider/accounts': everybody,
  'POST /admin/v1/providers/:provider/accounts': admins,
  'POST /admin/v1/providers/:provider/accounts/:account/credentials': admins,
  'PATCH /admin/v1/providers/:provider/accounts/:account': admins,
  'POST /admin/v1/providers/:provider/accounts/:account/switch-off': operators,
  'POST /admin/v1/providers/:provider/accounts/:account/switch-on': operators,
  'POST /admin/v1/providers/:provider/accounts/:account/remove': admins,
  'GET /admin/v1/providers/:provider/accounts/:account/check': everybody,
  'GET /admin/v1/shops/:shop_id/route-candidates': everybody,
  'POST /admin/v1/shops/:shop_id/members': admins,
  'GET /admin/v1/shops/:shop_id/members': everybody,
  'POST /admin/v1/shops/:shop_id/members/:member_id/sign-in-links': admins,
  'DELETE /admin/v1/shops/:shop_id/members/:member_id': admins,
  'POST /admin/v1/shops/:shop_id/erasures': admins,
  'GET /admin/v1/shops/:shop_id/erasures/:erasure_id': everybody,
  'POST /admin/v1/shops/:shop_id/adjustments': admins,
  'GET /admin/v1/shops/:shop_id/balances': everybody,
  'GET /admin/v1/shops/:shop_id/ledger/:currency': everybody,
  'PUT /admin/v1/shops/:shop_id/webhook': admins,
  'GET /admin/v1/shops/:shop_id/webhook': everybody,
  'POST /admin/v1/shops/:shop_id/webhook/rotate-secret': admins,
  'POST /admin/v1/shops/:shop_id/webhook/ping': operators,
  'GET /admin/v1/shops/:shop_id/webhook-messages': everybody,
  'POST /admin/v1/shops/:shop_id/webhook-messages/redeliver': operators,
  'POST /admin/v1/webhook-messages/:message_id/redeliver': operators,
  'GET /admin/v1/operations': everybody,
  'GET /admin/v1/operations.csv': everybody,
  'GET /admin/v1/journal.csv': everybody,
  'GET /admin/v1/balances.csv': everybody,
  'GET /admin/v1/webhook-deliveries.csv': everybody,
  'GET /admin/v1/operations/:operation_id': everybody,
  'GET /admin/v1/operations/:operation_id/events': everybody,
  'GET /admin/v1/operations/:operation_id/ledger-entries': everybody,
  'POST /admin/v1/operations/:operation_id/review': operators,
  'POST /admin/v1/operations/:operation_id/close': admins,
  'GET /admin/v1/projections': everybody,
  'GET /admin/v1/audits': everybody,
  'GET /admin/v1/suspense': everybody,
  'POST /admin/v1/suspense/:entry_id/resolve': operators,
  'GET /admin/v1/statements': everybody,
  'GET /admin/v1/statements.csv': everybody,
  'GET /admin/v1/statement-findings': everybody,
  'GET /admin/v1/statement-findings.csv': everybody,
  'GET /admin/v1/statements/:provider/:account/:currency/:day': everybody,
  'POST /admin/v1/statements/:provider/:account/:currency/:day/close-finding': operators,
  'POST /admin/v1/statements/:provider/:account/:currency/:day/import': operators,
  'POST /admin/v1/statements/:provider/:account/:currency/:day/fetch': operators,
  'GET /admin/v1/missing-statements': everybody,
  'POST /admin/v1/missing-statements/:provider/:account/:currency/fetch': operators,
  'POST /admin/v1/tokens': admins,
  'GET /admin/v1/tokens': everybody,
  'DELETE /admin/v1/tokens/:token_id': admins,
  'GET /admin/v1/activity': everybody,
  'GET /admin/v1/activity.csv': everybody,
};

/**
 * Lets only the route's roles through, before anything but the request's token is read. A route
 * without a line in the table is forbidden.
 * @throws Problem forbidden
 */
export const checkRole: MiddlewareHandler<AdminEnv> = async (c, next) => {
  // Middleware and the refusals of other methods are registered for all methods; what is left is
  // the route.
  const route = matchedRoutes(c).find(({ method }) => method !== 'ALL');
  if (route) {
    const allowed = rolesByRoute[`${route.method} ${route.path}`];
    if (!allowed?.includes(c.get('operator').role)) throw new Problem('forbidden');
  }
  await next();
};
