import { figuresFor } from '../../commission.ts';
import type { Route } from '../../routing.ts';
import type { OperationRequest } from '../events.ts';

/**
 * The most that a payout may charge on a route (R11.5): amount and commission, in the ledger's
 * currency.
 */
export function fundsNeeded(request: OperationRequest, route: Route, fxRate?: string) {
  const currency = route.conversion?.settlement_currency ?? request.currency;
  const { settlement_amount: amount } = figuresFor(request.amount, {
    type: 'payout',
    currency,
    commission: route.commission,
    fxRate,
  });
  return { currency, amount };
}
