import { z } from 'zod';
import type { OperationType } from './operation-type.ts';
import { amountPattern, compare, type Amount } from './money.ts';
import { currencies } from './currencies.ts';
import { methods } from './methods/index.ts';
import { isAccountOpen, noAccounts, type ProviderAccounts } from './provider/accounts.ts';
import { accountName } from './provider/events.ts';

const amount = z.string().regex(amountPattern, 'must be a decimal with two places');
const percent = z
  .string()
  .regex(/^(0|[1-9]\d?|100)(\.\d{1,4})?$/, 'must be a decimal percentage')
  .refine((text) => Number(text) <= 100, 'must be at most 100');

const maxOptionsDepth = 16;

/**
 * Level by level, not by recursion: JSON within the limits of a body can be deeper than the stack.
 */
function isNestedAtMost(value: unknown, maxDepth: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false;
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    );
  }
  return true;
}

/** A route as an operator sets it. */
export const routeSchema = z.strictObject({
  type: z.enum(['payment', 'payout']),
  method: z.enum(Object.keys(methods) as [keyof typeof methods]),
  currency: z.enum(currencies),
  provider: z.string().min(1).max(64),
  /** The provider account; absent: that of the environment. */
  account: accountName.optional(),
  priority: z.int().min(0).max(1_000_000).default(1),
  requires_receipt: z.boolean().default(false),
  min_amount: amount.optional(),
  max_amount: amount.optional(),
  /** The most that it takes on a UTC day (`daily-limits.ts`). */
  daily_count: z.int().min(1).max(100_000_000).optional(),
  daily_amount: amount.optional(),
  commission: z.strictObject({ percent, fixed: amount.default('0.00') }),
  conversion: z
    .strictObject({ settlement_currency: z.enum(currencies), fx_source: z.string().min(1).max(64) })
    .optional(),
  /** Only the connector reads them. */
  options: z
    .unknown()
    .refine(
      (value) => isNestedAtMost(value, maxOptionsDepth),
      `must nest at most ${maxOptionsDepth} deep`,
    )
    .pipe(z.record(z.string(), z.json()))
    .optional(),
});

export type Route = z.infer<typeof routeSchema>;

/** Why a route that fits is not tried now. */
export const skipReasons = [
  'provider_off',
  'provider_failing',
  'account_off',
  /** Its daily limit is used up. */
  'route_full',
  /** It has a daily limit, and today's use is unknown. */
  'limit_unknown',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Why a route may not be tried now; undefined if it may. At the time of the decision. */
export type WhySkip = (route: Route) => SkipReason | undefined;

/**
 * `off`: the providers that operators took out of routing. `accounts`: those that operators set up.
 * `failing`: whether a provider is skipped at present for that type. `limit`: the reason that a route's daily
 * limit gives.
 */
export const whySkip =
  ({
    off,
    accounts = noAccounts,
    failing = () => false,
    limit = () => undefined,
  }: {
    off: Pick<ReadonlySet<string>, 'has'>;
    accounts?: ProviderAccounts;
    failing?: (route: Pick<Route, 'provider' | 'account' | 'type'>) => boolean;
    limit?: WhySkip;
  }): WhySkip =>
  (route) => {
    if (off.has(route.provider)) return 'provider_off';
    if (!isAccountOpen(accounts, route)) return 'account_off';
    // Before the breaker is checked: the check may claim its one trial.
    return limit(route) ?? (failing(route) ? 'provider_failing' : undefined);
  };

/** What routes are selected by. */
export type Routable = { type: OperationType; method: string; currency: string; amount: Amount };

/** Why an operation does not match a route. */
export type Misfit = 'type' | 'method' | 'currency' | 'min_amount' | 'max_amount';

function findMisfit(route: Route, operation: Routable): Misfit | undefined {
  if (route.type !== operation.type) return 'type';
  if (route.method !== operation.method) return 'method';
  if (route.currency !== operation.currency) return 'currency';
  const { min_amount: min, max_amount: max } = route;
  if (min !== undefined && compare(operation.amount, min) < 0) return 'min_amount';
  return max !== undefined && compare(operation.amount, max) > 0 ? 'max_amount' : undefined;
}

/**
 * The routes that an operation may take, best first; routes of one priority stay in the operator's
 * order.
 */
export function eligibleRoutes(routes: readonly Route[], operation: Routable): Route[] {
  return routes
    .filter((route) => findMisfit(route, operation) === undefined)
    .toSorted((left, right) => left.priority - right.priority);
}

/** A route's rank for an operation, or why it is not used. */
export type RankedRoute = { route: Route; order?: number; why?: Misfit | SkipReason };

/** Every route as it would apply to an operation now, the usable ones first, in their order. */
export function judgeRoutes(
  routes: readonly Route[],
  operation: Routable,
  skip: WhySkip,
): RankedRoute[] {
  const eligible = eligibleRoutes(routes, operation);
  const skipped = eligible.flatMap((route) => {
    const why = skip(route);
    return why ? [{ route, why }] : [];
  });
  const others = routes.flatMap((route) => {
    const why = findMisfit(route, operation);
    return why ? [{ route, why }] : [];
  });
  const candidates = eligible.filter((route) => skip(route) === undefined);
  return [
    ...candidates.map((route, index) => ({ route, order: index + 1 })),
    ...skipped,
    ...others,
  ];
}
