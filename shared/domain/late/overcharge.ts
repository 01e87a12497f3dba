import { findOvercharge } from '../operation/due-steps/overcharge.ts';
import { findAttempt, type Operation } from '../operation/state.ts';
import type { LateEvent } from './events.ts';
import type { LateState } from './state.ts';

/** Records for an operator, once, that a payout cost more than agreed. */
export function recordOvercharge(state: LateState, operation: Operation): { events: LateEvent[] } {
  const overcharge = findOvercharge(operation);
  if (!overcharge || !operation.accepted || state.overcharged) return { events: [] };
  const { attempt } = operation.accepted;
  const data = {
    operation_id: operation.operationId,
    shop_id: operation.shopId,
    merchant_id: operation.merchantId,
    attempt,
    provider: findAttempt(operation, attempt)?.route.provider ?? 'unknown',
    currency: overcharge.currency,
    agreed_amount: overcharge.agreed,
    charged_amount: overcharge.charged,
  };
  return { events: [{ type: 'PayoutOvercharged', data }] };
}
