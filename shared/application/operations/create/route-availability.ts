import { dailyLimit, hasDailyLimit } from '#shared/domain/daily-limits.ts';
import { accountKey, providerAccount } from '#shared/domain/provider/accounts.ts';
import {
  eligibleRoutes,
  whySkip,
  type Routable,
  type Route,
  type WhySkip,
} from '#shared/domain/routing.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { atMost } from '#shared/platform/at-most.ts';
import { UndecidedCommand } from '#shared/platform/event-store/handle-command.ts';
import { newId } from '#shared/platform/ids.ts';
import { stepMs } from './deadlines.ts';
import type { CreatePorts } from './ports.ts';

type Sources = Pick<CreatePorts, 'directory' | 'breakers' | 'dayUse'>;
type Create = { shop: Shop; operationId: string; operation: Routable };

/** Which routes one decision may use. */
export type RouteAvailability = {
  /** @throws UndecidedCommand if that is not known */
  skip: WhySkip;
  /** For a decision without an attempt: releases its reservation of a route's day. */
  release(): void;
};

const isLimited = (shop: Shop, operation: Routable): boolean =>
  eligibleRoutes(shop.routes, operation).some(hasDailyLimit);

/**
 * Whether a repeat could use up what a new operation needs: a part of a daily limit, or the single
 * test call of a failing provider.
 */
export const isRationed = ({ breakers }: Sources, { shop, operation }: Create): boolean =>
  eligibleRoutes(shop.routes, operation).some(
    (route) => hasDailyLimit(route) || (breakers?.isOpen(route) ?? false),
  );

/**
 * Which routes may be tried now. Usually this reads nothing: switches are known from the directory,
 * breakers from this process's own calls, and daily use from the followed log (after its first
 * read).
 */
export async function routesNow(sources: Sources, create: Create): Promise<RouteAvailability> {
  const request = newId();
  const release = () => sources.dayUse?.release({ shop: create.shop, request });
  try {
    const skip = await atMost(stepMs, currentSkips(sources, { ...create, request }));
    if (skip) return { skip, release };
    throw new Error('the setup of routes was not read in time');
  } catch (cause) {
    const skip = () => {
      throw new UndecidedCommand(cause);
    };
    return { skip, release };
  }
}

/** `request`: which decision reserves its use of the day. @throws when the store can't be read */
async function currentSkips(
  { directory, breakers, dayUse }: Sources,
  { shop, request, operationId, operation }: Create & { request: string },
): Promise<WhySkip> {
  const { off, accounts } = await directory.providers();
  const days = isLimited(shop, operation) ? await dayUse?.of(shop.shopId) : undefined;
  const reservation = { request, operationId, amount: operation.amount };
  // One answer for each account and operation, however often the decision is repeated.
  const answers = new Map<string, boolean>();
  const failing = (route: Pick<Route, 'provider' | 'account' | 'type'>) => {
    const key = accountKey(route.provider, providerAccount(route));
    const answer = answers.get(key) ?? breakers?.failing(route) ?? false;
    answers.set(key, answer);
    return answer;
  };
  const limit = dailyLimit(
    days && ((route) => days.usedBy(route, reservation)),
    reservation.amount,
  );
  const skip = whySkip({ off, accounts, failing, limit });
  return (route) => {
    const why = skip(route);
    if (why === undefined) days?.take(route, reservation);
    return why;
  };
}
