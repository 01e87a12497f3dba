import { compare, fromAmount, isZero, toAmount, type Amount } from '#shared/domain/money.ts';
import type { DeclineReason } from '#shared/domain/operation/ends/decline-reason.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { OpenedRecipients } from '#shared/domain/operation/fields/snapshot.ts';
import { viewOperation } from '#shared/domain/operation/view.ts';

/** Where the payer transfers to. */
export type VisibleDestination = {
  method: string;
  number: string;
  name: string | undefined;
  /** The code of the bank dictionary, and the provider's name for it. */
  bank: { code: string | undefined; name: string | undefined } | undefined;
  /** The purpose that the payer has to give the transfer. */
  purpose: string | undefined;
};

/** Everything that the page of a payment may show. */
export type VisiblePayment =
  | {
      state: 'awaiting';
      expected: Amount;
      currency: string;
      /** The amount that is still missing. */
      toPay: Amount;
      received: Amount;
      destination: VisibleDestination | undefined;
      /** RFC 3339; where the provider reports one. */
      expiresAt: string | undefined;
      /**
       * The payment window is over, and the terminal status is not known yet: payers should not
       * transfer any more.
       */
      overdue: boolean;
      /** A receipt is requested: the first one, or another one. */
      receipt: 'wanted' | 'again' | undefined;
    }
  | {
      state: 'review' | 'paid' | 'partial' | 'declined' | 'expired';
      expected: Amount;
      received: Amount;
      currency: string;
      /** RFC 3339, when the last of the money arrived. */
      receivedAt?: string | undefined;
      /** Why the payment was declined, if it was. */
      declineReason?: DeclineReason | undefined;
    }
  /** Nothing of a cancelled payment is shown (R15.5). */
  | { state: 'cancelled' };

export type VisibleState = VisiblePayment['state'];

const ended = {
  completed: 'paid',
  partially_completed: 'partial',
  declined: 'declined',
  expired: 'expired',
} as const;

/**
 * What a payer may see of an operation; undefined for a payout, and while it is being created. The
 * destination only as far as it was decrypted.
 */
export function toVisiblePayment(
  operation: Operation,
  nowMs: number,
  opened: OpenedRecipients = {},
): VisiblePayment | undefined {
  const view = operation.type === 'payment' ? viewOperation(operation, opened) : undefined;
  if (!view) return undefined;
  const { expected_amount: expected, actual_amount: received, currency, status } = view;
  const figures = { expected, received, currency };
  switch (status) {
    case 'cancelled':
      return { state: 'cancelled' };
    case 'manual_check':
      return { state: 'review', ...figures };
    case 'pending':
    case 'awaiting_confirmation': {
      if (operation.receiptUnderReview !== undefined) return { state: 'review', ...figures };
      const overdue = view.expires_at !== undefined && Date.parse(view.expires_at) <= nowMs;
      const receipt = operation.receipts.length > 0 ? 'again' : 'wanted';
      return {
        state: 'awaiting',
        ...figures,
        toPay: missing(expected, received),
        destination: overdue ? undefined : toDestination(view),
        expiresAt: view.expires_at,
        overdue,
        receipt: status === 'awaiting_confirmation' ? receipt : undefined,
      };
    }
    case 'completed':
    case 'partially_completed':
    case 'declined':
    case 'expired':
      return {
        state: ended[status],
        ...figures,
        receivedAt: newestArrival(operation),
        declineReason: view.decline_reason,
      };
  }
}

/** When the last of the money arrived, as its provider says. */
const newestArrival = ({ legs }: Operation): string | undefined =>
  legs
    .filter(({ amount }) => !isZero(amount))
    .map((leg) => leg.completed_at)
    .toSorted((one, other) => Date.parse(one) - Date.parse(other))
    .at(-1);

function missing(expected: Amount, received: Amount): Amount {
  if (isZero(received)) return expected;
  return compare(received, expected) >= 0
    ? '0.00'
    : toAmount(fromAmount(expected).minus(fromAmount(received)));
}

function toDestination(
  view: NonNullable<ReturnType<typeof viewOperation>>,
): VisibleDestination | undefined {
  const { number, name, bankname, bankname_details: details, transfer_purpose, method } = view;
  if (number === undefined) return undefined;
  const bank = (bankname ?? details) === undefined ? undefined : { code: bankname, name: details };
  return { method, number, name, bank, purpose: transfer_purpose };
}

/**
 * The version of the page, which changes with what it shows. A final page does not change any more.
 */
export function computePageVersion(shown: VisiblePayment): string {
  if (shown.state === 'cancelled') return 'cancelled';
  if (shown.state !== 'awaiting') return `${shown.state}-${shown.received}`;
  const { received, overdue, receipt = 'none' } = shown;
  return `awaiting-${received}-${receipt}${overdue ? '-overdue' : ''}`;
}

export const isFinal = ({ state }: VisiblePayment): boolean =>
  state !== 'awaiting' && state !== 'review';
