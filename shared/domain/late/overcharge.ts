import { figuresFor } from '../commission.ts';
import { compare, type Amount } from '../money.ts';
import { currentReservation, currentRoute, attemptOf, type Operation } from '../operation/state.ts';
import type { LateEvent } from './events.ts';
import type { LateState } from './record.ts';

/** What a payout cost, and what the part of it that was asked for would have cost at its quote. */
export type Overcharge = { currency: string; agreed: Amount; charged: Amount };

/**
 * Whether a payout delivered more than was asked, or was carried out at a worse rate than quoted.
 * The charge stands: it is a fact (R12.16). An operator is informed.
 */
export function overchargeOf(operation: Operation): Overcharge | undefined {
  const { type, settled, request } = operation;
  if (type !== 'payout' || settled?.recorded_amount === undefined) return undefined;
  const route = currentRoute(operation);
  const reservation = currentReservation(operation);
  if (!route || !reservation) throw new Error('a payout with money has no route, or reserved nothing');
  const more = compare(settled.actual_amount, request.amount) > 0;
  const asked = more ? request.amount : settled.actual_amount;
  const terms = { type, commission: route.commission, fxRate: reservation.fxRate };
  const { settlement_amount: agreed } = figuresFor(asked, terms);
  const { settlement_amount: charged } = settled;
  return more || compare(charged, agreed) > 0
    ? { currency: reservation.currency, agreed, charged }
    : undefined;
}

/** Records it for the operator, once. */
export function recordOvercharge(state: LateState, operation: Operation): { events: LateEvent[] } {
  const overcharge = overchargeOf(operation);
  if (!overcharge || !operation.accepted || state.overcharged) return { events: [] };
  const { attempt } = operation.accepted;
  const data = {
    operation_id: operation.operationId,
    shop_id: operation.shopId,
    merchant_id: operation.merchantId,
    attempt,
    provider: attemptOf(operation, attempt)?.route.provider ?? 'unknown',
    currency: overcharge.currency,
    agreed_amount: overcharge.agreed,
    charged_amount: overcharge.charged,
  };
  return { events: [{ type: 'PayoutOvercharged', data }] };
}
