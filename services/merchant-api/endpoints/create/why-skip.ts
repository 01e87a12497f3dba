import { dailyLimit, hasDailyLimit } from '#shared/domain/daily-limits.ts';
import { accountKey, accountOf } from '#shared/domain/provider/accounts.ts';
import {
  eligibleRoutes,
  whySkip,
  type Routable,
  type Route,
  type WhySkip,
} from '#shared/domain/routing.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import type { Dependencies } from '../../dependencies.ts';

type Known = Pick<Dependencies, 'directory' | 'breakers' | 'dayUse'>;
/** `request`: which of the operation's requests reserves its use of the day. */
type Asked = { shop: Shop; request: string; operationId: string; operation: Routable };

const isLimited = (shop: Shop, operation: Routable): boolean =>
  eligibleRoutes(shop.routes, operation).some(hasDailyLimit);

/**
 * Whether a repeat could use up what a new operation needs: a part of a daily limit, or the single
 * test call of a failing provider.
 */
export const isRationed = ({ breakers }: Known, shop: Shop, operation: Routable): boolean =>
  eligibleRoutes(shop.routes, operation).some(
    (route) => hasDailyLimit(route) || (breakers?.isOpen(route) ?? false),
  );

/**
 * Which routes may not be tried now. Usually this reads nothing: switches are known from the
 * directory, breakers from this process's own calls, and daily use from the followed log (after its
 * first read).
 * @throws when the store can't be read
 */
export async function whySkipNow(
  { directory, breakers, dayUse }: Known,
  { shop, request, operationId, operation }: Asked,
): Promise<WhySkip> {
  const { off, accounts } = await directory.providers();
  const days = isLimited(shop, operation) ? await dayUse?.of(shop.shopId) : undefined;
  const place = { request, operationId, amount: operation.amount };
  // One answer for each account and operation, however often the decision is repeated.
  const found = new Map<string, boolean>();
  const failing = (route: Pick<Route, 'provider' | 'account' | 'type'>) => {
    const key = accountKey(route.provider, accountOf(route));
    const known = found.get(key) ?? breakers?.failing(route) ?? false;
    found.set(key, known);
    return known;
  };
  const limit = dailyLimit(days && ((route) => days.usedBy(route, place)), place.amount);
  const skip = whySkip({ off, accounts, failing, limit });
  return (route) => {
    const why = skip(route);
    if (why === undefined) days?.take(route, place);
    return why;
  };
}
