import { z } from 'zod';
import type { OperationType } from './operation-type.ts';
import { amountPattern, compare, type Amount } from './money.ts';
import { currencies, methods } from './methods/index.ts';

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
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return true;
}

/** A route as an operator sets it. */
export const routeSchema = z.strictObject({
  type: z.enum(['payment', 'payout']),
  method: z.enum(Object.keys(methods) as [keyof typeof methods]),
  currency: z.enum(currencies),
  provider: z.string().min(1).max(64),
  priority: z.int().min(0).max(1_000_000).default(1),
  requires_receipt: z.boolean().default(false),
  min_amount: amount.optional(),
  max_amount: amount.optional(),
  commission: z.strictObject({ percent, fixed: amount.default('0.00') }),
  conversion: z
    .strictObject({ settlement_currency: z.enum(currencies), fx_source: z.string().min(1).max(64) })
    .optional(),
  /** For the connector alone. */
  options: z
    .unknown()
    .refine((value) => isNestedAtMost(value, maxOptionsDepth), `must nest at most ${maxOptionsDepth} deep`)
    .pipe(z.record(z.string(), z.json()))
    .optional(),
});

export type Route = z.infer<typeof routeSchema>;

/** Why a route that fits is not tried now. */
export const skipReasons = ['provider_off'] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Why a route is not to be tried now; undefined: it may be. As of the moment of the decision. */
export type WhySkip = (route: Route) => SkipReason | undefined;

/** `off`: the providers that operators took out of routing. */
export const whySkip =
  ({ off }: { off: Pick<ReadonlySet<string>, 'has'> }): WhySkip =>
  ({ provider }) =>
    off.has(provider) ? 'provider_off' : undefined;

/**
 * The routes that an operation may take, best first; routes of one priority keep the operator's
 * order.
 */
export function eligibleRoutes(
  routes: readonly Route[],
  operation: { type: OperationType; method: string; currency: string; amount: Amount },
): Route[] {
  return routes
    .filter(
      (route) =>
        route.type === operation.type &&
        route.method === operation.method &&
        route.currency === operation.currency &&
        (route.min_amount === undefined || compare(operation.amount, route.min_amount) >= 0) &&
        (route.max_amount === undefined || compare(operation.amount, route.max_amount) <= 0),
    )
    .toSorted((left, right) => left.priority - right.priority);
}
