import { zero } from '../money.ts';
import type { OperationEvent } from './events.ts';
import { hasMoney, isTerminal, type OperationState } from './state.ts';

/** A merchant's cancel, by one of the two identifiers (R8.2). */
export type CancelOperation = {
  operationId: string;
  shopId: string;
  merchantId: string;
  /** Where the operation is named by it: then the key can be cancelled before its create comes. */
  merchantOperationId?: string;
  reason: string;
};

export type CancelRefusal = {
  code: 'operation_not_found' | 'cancel_payout_unsupported' | 'cancel_not_allowed';
};

/**
 * Cancels a payment that has not ended and has no money and no receipt to decide on (R8.3). What ended
 * before, by a cancel or otherwise, stays as it is: no events. A key that is not known is taken by the cancel itself.
 */
export function cancel(
  state: OperationState,
  command: CancelOperation,
): { events: OperationEvent[] } | { refusal: CancelRefusal } {
  const { operationId, shopId, merchantId, merchantOperationId, reason } = command;
  const notFound = { refusal: { code: 'operation_not_found' } } as const;
  if (state.phase !== 'admitted') {
    if (merchantOperationId === undefined) return notFound;
    if (state.phase === 'cancelled_first') return { events: [] };
    const data = {
      operation_id: operationId,
      shop_id: shopId,
      merchant_id: merchantId,
      merchant_operation_id: merchantOperationId,
      reason,
    };
    return { events: [{ type: 'OperationCancelledBeforeCreate', data }] };
  }
  // Nobody was told the id of an operation that is still being created.
  const unnamed = state.status === 'creating' && merchantOperationId === undefined;
  if (state.shopId !== shopId || unnamed) return notFound;
  if (state.type === 'payout') return { refusal: { code: 'cancel_payout_unsupported' } };
  if (isTerminal(state.status)) return { events: [] };
  if (hasMoney(state) || state.receiptUnderReview !== undefined)
    return { refusal: { code: 'cancel_not_allowed' } };
  return { events: [cancelled(reason)] };
}

/** What a cancel came to: also what every repeat of it is told. */
export function cancelOutcome(state: OperationState): 'cancelled' | 'already_terminal' {
  const wasCancelled =
    state.phase === 'cancelled_first' || (state.phase === 'admitted' && state.status === 'cancelled');
  return wasCancelled ? 'cancelled' : 'already_terminal';
}

export function cancelled(reason: string): OperationEvent {
  return {
    type: 'OperationCancelled',
    data: { actual_amount: zero, settlement_amount: zero, commission_amount: zero, reason },
  };
}
