import type { OperationType } from '../operation-type.ts';
import type { MoneyResolution } from './events.ts';

/**
 * Late money in a suspense entry. `ofLegId`: the leg that a return reverses. A negative amount
 * reverses a part of what was posted before.
 */
export type LateMoney = {
  operationType: OperationType;
  ofLegId?: string | undefined;
  amount: string;
};

/**
 * The direction of late money, seen from the gateway: a payment's comes in, a payout's goes out;
 * returned money and a negative amount move the other way.
 */
export function moneyDirection({ operationType, ofLegId, amount }: LateMoney): 'in' | 'out' {
  const way = (operationType === 'payment') === (ofLegId === undefined);
  return way === amount.startsWith('-') ? 'out' : 'in';
}

/** What came in can only be credited to the shop, and what went out only charged. */
export const fitsMoney = (resolution: MoneyResolution, money: LateMoney): boolean =>
  resolution !== (moneyDirection(money) === 'in' ? 'charge_shop' : 'credit_shop');
