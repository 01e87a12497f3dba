import type { OperationType } from '../operation-type.ts';
import type { MoneyResolution } from './events.ts';

/**
 * Late money, as a suspense entry has it. `ofLegId`: for money that went back, the leg that had
 * brought it.
 */
export type LateMoney = { operationType: OperationType; ofLegId?: string | undefined };

/**
 * Which way late money moved, seen from the gateway: a payment's comes in, a payout's goes out, and
 * money that goes back moves the other way.
 */
export const directionOf = ({ operationType, ofLegId }: LateMoney): 'in' | 'out' =>
  (operationType === 'payment') === (ofLegId === undefined) ? 'in' : 'out';

/** What came in can only be credited to the shop, and what went out only charged. */
export const fitsMoney = (resolution: MoneyResolution, money: LateMoney): boolean =>
  resolution !== (directionOf(money) === 'in' ? 'charge_shop' : 'credit_shop');
