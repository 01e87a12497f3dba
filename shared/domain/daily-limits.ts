import { compare, fromAmount, toAmount, zero, type Amount } from './money.ts';
import { providerAccount } from './provider/accounts.ts';
import type { Route, WhySkip } from './routing.ts';

/** The daily limits of a route, and its use of them. Days are in UTC. */

/** Operations and their total amount. */
export type DailyUse = { count: number; amount: Amount };

export const nothingUsed: DailyUse = { count: 0, amount: zero };

/** The key of a route's count: routes of a shop with the same key share their count. */
type RouteKey = {
  type: string;
  method: string;
  currency: string;
  provider: string;
  account?: string | undefined;
};

export const routeKey = ({ type, method, currency, provider, account }: RouteKey): string =>
  `${type} ${method} ${currency} ${provider} ${providerAccount({ account })}`;

/** The day in UTC of a time as events have it. */
export const utcDay = (atIso: string): string => atIso.slice(0, 10);

type Limits = Pick<Route, 'daily_count' | 'daily_amount'>;

export const hasDailyLimit = ({ daily_count: count, daily_amount: amount }: Limits): boolean =>
  count !== undefined || amount !== undefined;

/** Whether one more operation of that amount would exceed the route's limits for the day. */
export function isFull(
  { daily_count: count, daily_amount: limit }: Limits,
  used: DailyUse,
  more: Amount,
): boolean {
  if (count !== undefined && used.count >= count) return true;
  return limit !== undefined && compare(added(used, more).amount, limit) > 0;
}

/**
 * Whether the daily limits of routes allow one more operation of that amount. `usedBy` is undefined
 * while today's use is unknown.
 */
export const dailyLimit =
  (usedBy: ((route: Route) => DailyUse) | undefined, more: Amount): WhySkip =>
  (route) => {
    if (!hasDailyLimit(route)) return undefined;
    if (!usedBy) return 'limit_unknown';
    return isFull(route, usedBy(route), more) ? 'route_full' : undefined;
  };

export const added = (used: DailyUse, amount: Amount, times: 1 | -1 = 1): DailyUse => ({
  count: used.count + times,
  amount: toAmount(fromAmount(used.amount).plus(fromAmount(amount).times(times))),
});
