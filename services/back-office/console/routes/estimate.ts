import { figuresFor } from '#shared/domain/commission.ts';
import type { OperationType } from '#shared/domain/operation-type.ts';
import { eligibleRoutes, type Route, type WhySkip } from '#shared/domain/routing.ts';

/** The number of operations of one kind and amount. */
export type Group = {
  type: OperationType;
  method: string;
  currency: string;
  amount: string;
  operations: number;
};
/** How many operations of a kind were submitted to a provider, and how many it accepted. */
export type Rate = {
  provider: string;
  type: OperationType;
  method: string;
  attempts: number;
  accepted: number;
};
type ProviderEstimate = {
  provider: string;
  /** The currency of the commission. */
  currency: string;
  accepted: number;
  /** Without converting routes, whose rate is not known. */
  commission: number;
  /** Its acceptance rate is unknown: it is counted as if it always accepted. */
  withoutHistory: boolean;
};
export type RoutingEstimate = {
  operations: number;
  accepted: number;
  byProvider: ProviderEstimate[];
};

/**
 * How many of the operations each provider would accept, at its past acceptance rates. What a
 * provider refuses goes to the next route. Pure.
 */
export function estimate(
  routes: readonly Route[],
  { groups, rates, skip }: { groups: readonly Group[]; rates: readonly Rate[]; skip: WhySkip },
): RoutingEstimate {
  const byKey = new Map<string, ProviderEstimate>();
  for (const group of groups) {
    let left = group.operations;
    for (const route of eligibleRoutes(routes, group)) {
      if (skip(route) !== undefined) continue;
      const rate = findAcceptanceRate(rates, group, route.provider);
      const accepted = left * (rate ?? 1);
      left -= accepted;
      const currency = route.conversion?.settlement_currency ?? route.currency;
      const key = `${route.provider} ${currency}`;
      const sum = byKey.get(key) ?? { provider: route.provider, currency, ...nothing };
      byKey.set(key, {
        ...sum,
        accepted: sum.accepted + accepted,
        commission: sum.commission + accepted * computeCommission(route, group),
        withoutHistory: sum.withoutHistory || rate === undefined,
      });
    }
  }
  const byProvider = [...byKey.values()].toSorted((left, right) => right.accepted - left.accepted);
  return {
    operations: groups.reduce((sum, { operations }) => sum + operations, 0),
    accepted: byProvider.reduce((sum, { accepted }) => sum + accepted, 0),
    byProvider,
  };
}

const nothing = { accepted: 0, commission: 0, withoutHistory: false };

function findAcceptanceRate(
  rates: readonly Rate[],
  { type, method }: Group,
  provider: string,
): number | undefined {
  const rate = rates.find(
    (each) => each.provider === provider && each.type === type && each.method === method,
  );
  return rate && rate.attempts > 0 ? rate.accepted / rate.attempts : undefined;
}

function computeCommission(route: Route, { type, amount, currency }: Group): number {
  if (route.conversion) return 0;
  const { commission } = route;
  return Number(figuresFor(amount, { type, currency, commission }).commission_amount);
}
