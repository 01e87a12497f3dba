import type { OperationType } from '../operation-type.ts';
import type { MoneyResolution } from './events.ts';

/** Late money, as a suspense entry knows it. `ofLegId`: the leg of which it went back. */
export type LateMoney = { operationType: OperationType; ofLegId?: string | undefined };

/**
 * Which way late money moved, as the gateway sees it: a payment's comes in and a payout's goes out,
 * what goes back the other way round.
 */
export const directionOf = ({ operationType, ofLegId }: LateMoney): 'in' | 'out' =>
  (operationType === 'payment') === (ofLegId === undefined) ? 'in' : 'out';

/** What came in can only be credited to the shop, and what went out only charged. */
export const fitsMoney = (resolution: MoneyResolution, money: LateMoney): boolean =>
  resolution !== (directionOf(money) === 'in' ? 'charge_shop' : 'credit_shop');
