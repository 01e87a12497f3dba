import { parse, type Commission } from './decimal.ts';

/** A route as the admin API takes it (R16.6). */
export type RouteRequest = {
  readonly type: 'payment' | 'payout';
  readonly method: string;
  readonly currency: string;
  readonly provider: 'sandbox';
  readonly priority: number;
  readonly requires_receipt?: boolean;
  readonly min_amount?: string;
  readonly max_amount?: string;
  readonly commission: Commission;
  readonly conversion?: { readonly settlement_currency: string; readonly fx_source: string };
  readonly options?: Readonly<Record<string, unknown>>;
};

/** A card payment at 2.50 %, with changes. */
export function route(change: Partial<RouteRequest> = {}): RouteRequest {
  return {
    type: 'payment',
    method: 'WT_RUB_C2C',
    currency: 'RUB',
    provider: 'sandbox',
    priority: 1,
    commission: { percent: '2.50' },
    ...change,
  };
}

/** A card payout at 1.00 % and 10.00, with changes. */
export function payoutRoute(change: Partial<RouteRequest> = {}): RouteRequest {
  return route({ type: 'payout', commission: { percent: '1.00', fixed: '10.00' }, ...change });
}

/** Routes for both methods and both types, as a shop that does everything has them. */
export const allRoutes: readonly RouteRequest[] = [
  route(),
  route({ method: 'WT_RUB_PHONE' }),
  payoutRoute(),
  payoutRoute({ method: 'WT_RUB_PHONE' }),
];

/** The first route in order of priority that accepts the request. */
export function routeThatAccepts(
  routes: readonly RouteRequest[],
  wanted: { type: string; method: string; currency: string; amount: string },
): RouteRequest | undefined {
  return routes
    .filter(({ type, method, currency }) => {
      return type === wanted.type && method === wanted.method && currency === wanted.currency;
    })
    .filter(({ min_amount: min, max_amount: max }) => {
      const amount = parse(wanted.amount);
      return (
        (min === undefined || amount >= parse(min)) && (max === undefined || amount <= parse(max))
      );
    })
    .filter(({ options }) => options?.['accept'] === undefined)
    .toSorted((a, b) => a.priority - b.priority)[0];
}
