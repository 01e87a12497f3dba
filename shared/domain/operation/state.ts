import type { OperationType } from '../operation-type.ts';
import { isZero, sum, type Amount } from '../money.ts';
import { providerAccount } from '../provider/accounts.ts';
import type { Route } from '../routing.ts';
import type { BodyHash } from './admission/idempotency.ts';
import type {
  DeclineCause,
  Leg,
  ManualCheckReason,
  OperationRequest,
  StoredRequisites,
  TerminalStatus,
} from './events.ts';

export type OperationStatus = 'pending' | 'awaiting_confirmation' | 'manual_check' | TerminalStatus;

/** The statuses that a shop sees. It does not see an operation that is still being created. */
export const shownStatuses = [
  'pending',
  'awaiting_confirmation',
  'manual_check',
  'completed',
  'partially_completed',
  'declined',
  'expired',
  'cancelled',
] as const satisfies OperationStatus[];

export type Attempt = {
  attempt: number;
  route: Route;
  /** `unresolved`: the provider may have accepted; it has to be polled, or asked to withdraw. */
  outcome: 'started' | 'accepted' | 'refused' | 'unresolved' | 'withdrawn';
  /** The provider may have been called: a payout's is not before its funds are reserved. */
  dispatched: boolean;
  providerReference?: string;
  /** Why it failed. */
  failure?: AttemptFailure;
};

/**
 * `insufficient_funds`: the ledger refused the reservation, so the provider was never called.
 */
export type AttemptFailure = 'refused' | 'insufficient_funds' | 'timeout' | 'error';

/** How each reason for skipping a route counts, before its provider is called. */
export const failureBySkipReason = {
  converts_to_nothing: 'refused',
  no_quote: 'refused',
  quote_timeout: 'timeout',
  quote_error: 'error',
  insufficient_funds: 'insufficient_funds',
} as const satisfies Record<string, AttemptFailure>;

/** Funds reserved in the ledger for a payout. */
export type Reservation = {
  /** The attempt that it was made for; a later one on the same terms reuses it. */
  reservation: number;
  currency: string;
  amount: Amount;
  fxRate?: string;
  /** The ledger confirmed it. Otherwise it may or may not have been made. */
  noted: boolean;
};

/** A receipt that the payer uploaded. */
type UploadedReceipt = {
  receiptId: string;
  sha256: string;
  pdf: boolean;
  /** The provider answered to the upload. */
  submitted: boolean;
};

/** The final figures in terminal events. */
type SettledFigures = {
  actual_amount: Amount;
  recorded_amount?: Amount | undefined;
  settlement_amount: Amount;
  commission_amount: Amount;
};

export type Operation = {
  phase: 'admitted';
  /** The revision of the newest event that was folded. */
  revision: number;
  operationId: string;
  shopId: string;
  merchantId: string;
  type: OperationType;
  merchantOperationId: string;
  bodyHash: BodyHash;
  request: OperationRequest;
  acceptUntil: string;
  /** `creating`: no provider has accepted yet, and it is not visible. */
  status: 'creating' | OperationStatus;
  attempts: readonly Attempt[];
  /** How many routes were skipped without an attempt. */
  skippedRoutes: number;
  /** The accepted attempt with its money. */
  accepted?: {
    attempt: number;
    requisites?: StoredRequisites;
    expiresAt?: string;
    fxRate?: string;
    confirmationRequired: boolean;
  };
  /** The legs, net of the returns before the end. */
  legs: readonly Leg[];
  /** The returns before the end, as first reported; `counted` was deducted from the leg. */
  returns: readonly {
    legId: string;
    ofLegId: string;
    amount: Amount;
    counted: Amount;
    completedAt: string;
  }[];
  /** The newest report on the accepted attempt with a change, if its provider numbers them. */
  reportVersion?: number;
  /**
   * Reservations of a payout, oldest first: the last one is in force, those before it are released.
   */
  reservations: readonly Reservation[];
  /** Oldest first. */
  receipts: readonly UploadedReceipt[];
  /** The receipt that waits for the provider's review, or for a person's. */
  receiptUnderReview?: string;
  /** In `manual_check`, where a reason was given. */
  manualCheckReason?: ManualCheckReason;
  /** An operator declined it: the provider doesn't know, and is asked to withdraw. */
  declinedByReview: boolean;
  /**
   * An operator approved it: the provider is not asked to withdraw, and may still report that
   * money.
   */
  approvedByReview: boolean;
  /** An admin ended it, whatever its provider may still do. */
  closedByHand: boolean;
  settled?: SettledFigures;
  /** Its legs are the whole evidence of its money; else the provider has to be asked. */
  evidence?: 'legs';
  /** The raw reason of its event; see `toDeclineReason`. */
  declineCause?: DeclineCause;
  /** Webhooks so far; the next one is `sequence` + 1 (R14.3). */
  webhooks: number;
};

/** A cancel without its create: there is nothing to show, but the key is taken (R8.7). */
type CancelledFirst = {
  phase: 'cancelled_first';
  revision: number;
  operationId: string;
  reason: string;
};

export type OperationState = { phase: 'none'; revision: -1 } | CancelledFirst | Operation;

export const noOperation: OperationState = { phase: 'none', revision: -1 };

const terminal: ReadonlySet<string> = new Set<TerminalStatus>([
  'completed',
  'partially_completed',
  'declined',
  'expired',
  'cancelled',
]);

export const isTerminal = (status: Operation['status']): status is TerminalStatus =>
  terminal.has(status);

/** Money has come for it; a leg that its provider took back doesn't count. */
export const hasMoney = ({ legs }: Operation): boolean =>
  !isZero(sum(legs.map(({ amount }) => amount)));

export const findAttempt = (operation: Operation, attempt: number): Attempt | undefined =>
  operation.attempts.find((candidate) => candidate.attempt === attempt);

/** Whether two attempts use one account: there an id names one transfer of the operation. */
export function sharesAccount(operation: Operation, left: number, right: number): boolean {
  if (left === right) return true;
  const [one, other] = [findAttempt(operation, left)?.route, findAttempt(operation, right)?.route];
  if (!one || !other) return false;
  return one.provider === other.provider && providerAccount(one) === providerAccount(other);
}

/** Whether the legs that the operation counts may be the ones that this attempt names. */
export const mayCountLegs = (operation: Operation, attempt: number): boolean =>
  operation.accepted !== undefined && sharesAccount(operation, operation.accepted.attempt, attempt);

/** The operation's route: the accepted one, else the one being tried. */
export const currentRoute = (operation: Operation): Route | undefined =>
  (operation.accepted
    ? findAttempt(operation, operation.accepted.attempt)
    : operation.attempts.at(-1)
  )?.route;

/** The reservation of the current attempt. */
export const currentReservation = (operation: Operation): Reservation | undefined =>
  operation.reservations.at(-1);

/**
 * The rate of a converting route: the provider's at acceptance, until then the quote that funds
 * were reserved at.
 */
export function exchangeRate(operation: Operation): string | undefined {
  const reservation = currentReservation(operation);
  // A quote holds only for its own route, not for the next one.
  const quoted = reservation?.reservation === operation.attempts.at(-1)?.attempt;
  return operation.accepted?.fxRate ?? (quoted ? reservation?.fxRate : undefined);
}
