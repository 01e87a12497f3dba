import {
  compare,
  fitsCurrency,
  fromAmount,
  isZero,
  sum,
  toAmount,
  type Amount,
} from '../../money.ts';
import { closing } from '../ends/terminal-events.ts';
import type { Leg, OperationEvent } from '../events.ts';
import type { Operation, OperationState } from '../state.ts';

/**
 * An operator's decision on a receipt (R9.9). Time and id are for the leg that an approval adds.
 */
export type OperatorReview = (
  | {
      decision: 'approve';
      /** The received money that the operator saw. */
      actualAmount: Amount;
      /** Whether this operator may approve more than was expected. */
      mayExceed: boolean;
    }
  | { decision: 'decline' }
  | { decision: 'ask_again' }
) & {
  note: string;
  legId: string;
  nowIso: string;
  /** The receipt that the operator saw; undefined for the current one. */
  receiptId?: string | undefined;
};

export type ReviewRefusal = {
  /**
   * `another_receipt`: not the one that the operator saw is under review. `amount_below_received`:
   * more money than that has come already. `amount_above_expected`: this operator may not approve
   * more than was expected. `amount_unfit`: it has more decimals than its currency.
   */
  code:
    | 'review_not_allowed'
    | 'another_receipt'
    | 'amount_below_received'
    | 'amount_above_expected'
    | 'amount_unfit';
};

type Decision = { events: OperationEvent[] } | { refusal: ReviewRefusal };

/**
 * Decides on a receipt under manual check. With money the payment is completed, or partially
 * completed. `ask_again` is allowed only where the receipt could not be read or showed a transfer
 * under way.
 */
export function decideReview(state: OperationState, input: OperatorReview): Decision {
  const { decision, note } = input;
  const notAllowed = { refusal: { code: 'review_not_allowed' } } as const;
  if (state.phase !== 'admitted' || state.status !== 'manual_check' || !state.receiptUnderReview)
    return notAllowed;
  // The payer may have uploaded another one since (R9.9).
  if (input.receiptId !== undefined && input.receiptId !== state.receiptUnderReview)
    return { refusal: { code: 'another_receipt' } };
  if (decision === 'ask_again' && state.manualCheckReason !== 'not_terminal') return notAllowed;
  const decided: OperationEvent = {
    type: 'ReviewDecided',
    data: {
      receipt_id: state.receiptUnderReview,
      decision,
      ...(input.decision === 'approve' && { actual_amount: input.actualAmount }),
      note,
    },
  };
  if (input.decision === 'ask_again') return { events: [decided] };
  return input.decision === 'decline' ? decline(state, decided) : approve(state, decided, input);
}

function decline(state: Operation, decided: OperationEvent): Decision {
  const received = sum(state.legs.map((leg) => leg.amount));
  const end = isZero(received) ? 'declined' : 'partially_completed';
  return { events: [decided, closing(state, end, { received, fresh: [], declinedBy: 'review' })] };
}

function approve(
  state: Operation,
  decided: OperationEvent,
  input: Extract<OperatorReview, { decision: 'approve' }>,
): Decision {
  const received = sum(state.legs.map((leg) => leg.amount));
  const { actualAmount: total, legId, nowIso } = input;
  if (!fitsCurrency(total, state.request.currency)) return { refusal: { code: 'amount_unfit' } };
  if (compare(total, received) < 0) return { refusal: { code: 'amount_below_received' } };
  if (!input.mayExceed && compare(total, state.request.amount) > 0)
    return { refusal: { code: 'amount_above_expected' } };
  const end = compare(total, state.request.amount) >= 0 ? 'completed' : 'partially_completed';
  const fresh = approvedLeg({ total, received, legId, nowIso });
  return { events: [decided, closing(state, end, { received: total, fresh })] };
}

/** The money that the operator saw and no provider has reported. */
function approvedLeg(input: {
  total: Amount;
  received: Amount;
  legId: string;
  nowIso: string;
}): Leg[] {
  const amount = toAmount(fromAmount(input.total).minus(input.received));
  if (isZero(amount)) return [];
  return [
    { leg_id: input.legId, amount, completed_at: input.nowIso, file: false, synthetic: true },
  ];
}
