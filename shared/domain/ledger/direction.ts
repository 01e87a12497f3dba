import type { OperationType } from '../operation-type.ts';
import type { MoneyResolution } from './events.ts';

/**
 * Late money, as a suspense entry has it. `ofLegId`: for money that went back, the leg that had
 * brought it. A negative amount is the part that there is less of than was posted before.
 */
export type LateMoney = {
  operationType: OperationType;
  ofLegId?: string | undefined;
  amount: string;
};

/**
 * Which way late money moved, seen from the gateway: a payment's comes in, a payout's goes out, and
 * money that goes back, or that there is less of, moves the other way.
 */
export function directionOf({ operationType, ofLegId, amount }: LateMoney): 'in' | 'out' {
  const way = (operationType === 'payment') === (ofLegId === undefined);
  return way === amount.startsWith('-') ? 'out' : 'in';
}

/** What came in can only be credited to the shop, and what went out only charged. */
export const fitsMoney = (resolution: MoneyResolution, money: LateMoney): boolean =>
  resolution !== (directionOf(money) === 'in' ? 'charge_shop' : 'credit_shop');
