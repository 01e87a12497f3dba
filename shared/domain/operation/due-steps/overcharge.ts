import { figuresFor } from '../../commission.ts';
import { compare, type Amount } from '../../money.ts';
import { currentReservation, currentRoute, type Operation } from '../state.ts';

/** What a payout cost, and what the requested amount would have cost at the quoted rate. */
type Overcharge = { currency: string; agreed: Amount; charged: Amount };

/**
 * Whether a payout delivered more than was requested, or was carried out at a worse rate than
 * quoted. The charge is final: the money has moved (R12.16). An operator is informed.
 */
export function findOvercharge(operation: Operation): Overcharge | undefined {
  const { type, settled, request } = operation;
  if (type !== 'payout' || settled?.recorded_amount === undefined) return undefined;
  const route = currentRoute(operation);
  const reservation = currentReservation(operation);
  if (!route || !reservation)
    throw new Error('a payout with money has no route, or reserved nothing');
  const more = compare(settled.actual_amount, request.amount) > 0;
  const requested = more ? request.amount : settled.actual_amount;
  const { currency, fxRate } = reservation;
  const terms = { type, currency, commission: route.commission, fxRate };
  const { settlement_amount: agreed } = figuresFor(requested, terms);
  const { settlement_amount: charged } = settled;
  return more || compare(charged, agreed) > 0 ? { currency, agreed, charged } : undefined;
}
