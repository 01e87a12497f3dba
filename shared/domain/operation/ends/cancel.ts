import type { OperationEvent } from '../events.ts';
import { hasMoney, isTerminal, type OperationState } from '../state.ts';
import { cancelled } from './terminal-events.ts';

/**
 * A merchant's cancel (R8.2), and cancel against completion (R8.3): whichever is first in the
 * stream decides. With money (the legs add up to more than 0.00) or a receipt under review the
 * cancel is refused. Money after a cancel is late (`reports/late-facts.ts`), and the attempt is
 * withdrawn (`due-steps/withdrawals.ts`).
 */

/** A cancel of an operation that is named by one of its two identifiers. */
export type CancelOperation = {
  operationId: string;
  shopId: string;
  merchantId: string;
  /** Given if the merchant used it. Only then can a key be cancelled before its create arrives. */
  merchantOperationId?: string;
  reason: string;
};

type CancelRefusal = {
  code: 'operation_not_found' | 'cancel_payout_unsupported' | 'cancel_not_allowed';
};

/**
 * Cancels a payment that has not ended and has no money and no receipt under review. One that has
 * ended stays as it is: no events. The cancel of an unknown key claims that key.
 */
export function cancel(
  state: OperationState,
  command: CancelOperation,
): { events: OperationEvent[] } | { refusal: CancelRefusal } {
  const { shopId, merchantOperationId, reason } = command;
  const notFound = { refusal: { code: 'operation_not_found' } } as const;
  if (state.phase !== 'admitted') {
    if (merchantOperationId === undefined) return notFound;
    return claimKey(state, { ...command, merchantOperationId });
  }
  // The id of an operation that is still being created has not been given to anyone.
  const unnamed = state.status === 'creating' && merchantOperationId === undefined;
  if (state.shopId !== shopId || unnamed) return notFound;
  if (state.type === 'payout') return { refusal: { code: 'cancel_payout_unsupported' } };
  if (isTerminal(state.status)) return { events: [] };
  if (hasMoney(state) || state.receiptUnderReview !== undefined)
    return { refusal: { code: 'cancel_not_allowed' } };
  return { events: [cancelled(reason)] };
}

/** Claims a key for a cancel, unless it is taken: a create that comes later orders nothing. */
export function claimKey(
  { phase }: OperationState,
  command: Required<CancelOperation>,
): { events: OperationEvent[] } {
  if (phase !== 'none') return { events: [] };
  const data = {
    operation_id: command.operationId,
    shop_id: command.shopId,
    merchant_id: command.merchantId,
    merchant_operation_id: command.merchantOperationId,
    reason: command.reason,
  };
  return { events: [{ type: 'OperationCancelledBeforeCreate', data }] };
}

/** The result of a cancel, and of every repeat of it. */
export function cancelOutcome(state: OperationState): 'cancelled' | 'already_terminal' {
  const wasCancelled =
    state.phase === 'cancelled_first' ||
    (state.phase === 'admitted' && state.status === 'cancelled');
  return wasCancelled ? 'cancelled' : 'already_terminal';
}
