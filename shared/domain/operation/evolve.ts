import { terminalStatuses, type OperationEvent, type OperationEventOf } from './events.ts';
import { causesWebhook } from './due-steps/webhooks.ts';
import {
  findAttempt,
  noOperation,
  failureBySkipReason,
  type Attempt,
  type AttemptFailure,
  type Operation,
  type OperationState,
} from './state.ts';

/**
 * The state after one more event. Pure. @throws for an event that can't follow: the log is broken
 */
export function evolve(state: OperationState, event: OperationEvent): OperationState {
  const revision = state.revision + 1;
  if (event.type === 'OperationCancelledBeforeCreate') {
    if (state.phase !== 'none')
      throw new Error(`a cancel comes first, not at revision ${revision}`);
    const { operation_id: operationId, reason } = event.data;
    return { phase: 'cancelled_first', revision, operationId, reason };
  }
  if (event.type === 'OperationAdmitted') {
    if (state.phase === 'admitted')
      throw new Error(`an operation is admitted once, not again at revision ${revision}`);
    return admitted(event.data, revision);
  }
  if (state.phase !== 'admitted')
    throw new Error(`an operation begins with its admission, not with ${event.type}`);
  const next = { ...apply(state, event), ...reportIn(event), revision };
  return causesWebhook(state, next) ? { ...next, webhooks: state.webhooks + 1 } : next;
}

function admitted(
  data: OperationEventOf<'OperationAdmitted'>['data'],
  revision: number,
): Operation {
  return {
    phase: 'admitted',
    revision,
    operationId: data.operation_id,
    shopId: data.shop_id,
    merchantId: data.merchant_id,
    type: data.type,
    merchantOperationId: data.merchant_operation_id,
    bodyHash: data.body_hash,
    request: data.request,
    acceptUntil: data.accept_until,
    status: 'creating',
    attempts: [],
    skippedRoutes: 0,
    legs: [],
    returns: [],
    reservations: [],
    receipts: [],
    declinedByReview: false,
    approvedByReview: false,
    closedByHand: false,
    webhooks: 0,
  };
}

const reportIn = ({ data }: OperationEvent) =>
  'report_version' in data &&
  data.report_version !== undefined && { reportVersion: data.report_version };

type LaterType = Exclude<
  OperationEvent['type'],
  'OperationAdmitted' | 'OperationCancelledBeforeCreate'
>;
type LaterData = { [Type in LaterType]: OperationEventOf<Type>['data'] };
type Effects<Type extends LaterType> = {
  [Each in Type]: (state: Operation, data: LaterData[Each]) => Operation;
};

const apply = <Type extends LaterType>(
  state: Operation,
  { type, data }: { type: Type; data: LaterData[Type] },
): Operation => (effects as Effects<Type>)[type](state, data);

const attemptEffects = {
  RoutesSkipped: (state, { routes }) => ({
    ...state,
    skippedRoutes: state.skippedRoutes + routes.length,
  }),
  AttemptStarted: (state, data) => ({
    ...state,
    attempts: [
      ...state.attempts,
      { ...data, outcome: 'started', dispatched: state.type === 'payment' },
    ],
  }),
  AttemptAccepted: (state, data) => {
    const { attempt, provider_reference, requisites, expires_at, fx_rate, confirmation_required } =
      data;
    return {
      ...state,
      status: confirmation_required ? 'awaiting_confirmation' : 'pending',
      attempts: withAttempt(state, attempt, {
        outcome: 'accepted',
        providerReference: provider_reference,
      }),
      accepted: {
        attempt,
        confirmationRequired: confirmation_required,
        ...(requisites && { requisites }),
        ...(expires_at && { expiresAt: expires_at }),
        ...(fx_rate && { fxRate: fx_rate }),
      },
    };
  },
  AttemptRefused: (state, { attempt, reason }) => {
    const failure = toAttemptFailure(findAttempt(state, attempt), reason);
    return { ...state, attempts: withAttempt(state, attempt, { outcome: 'refused', failure }) };
  },
  AttemptUnresolved: (state, { attempt, cause }) => ({
    ...state,
    // A payout that its provider may have taken stays open until that provider answers (R7.6).
    ...(state.type === 'payout' && { status: 'pending' }),
    attempts: withAttempt(state, attempt, { outcome: 'unresolved', failure: cause }),
  }),
  AttemptWithdrawn: (state, { attempt }) => ({
    ...state,
    attempts: withAttempt(state, attempt, { outcome: 'withdrawn' }),
  }),
} satisfies Partial<Effects<LaterType>>;

const moneyEffects = {
  ReservationRequested: (state, { reservation, currency, amount, fx_rate }) => {
    const rate = fx_rate !== undefined && { fxRate: fx_rate };
    const requested = { reservation, currency, amount, ...rate, noted: false };
    return { ...state, reservations: [...state.reservations, requested] };
  },
  FundsReserved: (state, { reservation, attempt }) => ({
    ...state,
    attempts: withAttempt(state, attempt, { dispatched: true }),
    reservations: state.reservations.map((each) =>
      each.reservation === reservation ? { ...each, noted: true } : each,
    ),
  }),
  LegReceived: (state, { leg }) => ({ ...state, legs: [...state.legs, leg] }),
  LegCorrected: (state, { leg }) => ({
    ...state,
    legs: state.legs.map((each) => (each.leg_id === leg.leg_id ? leg : each)),
  }),
  LegReturned: (state, { returned, counted, leg }) => ({
    ...state,
    returns: [
      ...state.returns,
      {
        legId: returned.leg_id,
        ofLegId: returned.of_leg_id,
        amount: returned.amount,
        counted,
        completedAt: returned.completed_at,
      },
    ],
    legs: state.legs.map((each) => (each.leg_id === leg?.leg_id ? leg : each)),
  }),
} satisfies Partial<Effects<LaterType>>;

const receiptEffects = {
  ReceiptUploaded: (state, { receipt_id: receiptId, sha256, pdf }) => {
    const receipts = [...state.receipts, { receiptId, sha256, pdf, submitted: false }];
    return { ...state, receipts, receiptUnderReview: receiptId };
  },
  ReceiptSubmitted: (state, { receipt_id: receiptId }) => ({
    ...state,
    receipts: state.receipts.map((receipt) =>
      receipt.receiptId === receiptId ? { ...receipt, submitted: true } : receipt,
    ),
  }),
  ManualCheckStarted: (state, { reason }) => {
    const { manualCheckReason: _, ...rest } = state;
    return { ...rest, status: 'manual_check', ...(reason && { manualCheckReason: reason }) };
  },
  ReviewDecided: (state, { decision }) => {
    if (decision === 'approve') return { ...state, approvedByReview: true };
    if (decision === 'decline') return { ...state, declinedByReview: true };
    const { manualCheckReason: _reason, receiptUnderReview: _receipt, ...rest } = state;
    return { ...rest, status: 'awaiting_confirmation' };
  },
} satisfies Partial<Effects<LaterType>>;

const endEffects = {
  CloseDecided: (state) => ({ ...state, closedByHand: true }),
  OperationCompleted: (state, data) => endedWithMoney(state, 'OperationCompleted', data),
  OperationPartiallyCompleted: (state, data) =>
    endedWithMoney(state, 'OperationPartiallyCompleted', data),
  OperationDeclined: (state, data) => {
    const { reason, report_version: _, ...settled } = data;
    return { ...state, status: 'declined', settled, declineCause: reason };
  },
  OperationExpired: (state, data) => {
    const { report_version: _, ...settled } = data;
    return { ...state, status: 'expired', settled };
  },
  OperationCancelled: (state, data) => {
    const { reason: _, ...settled } = data;
    return { ...state, status: 'cancelled', settled };
  },
} satisfies Partial<Effects<LaterType>>;

/** The effect of each event on an admitted operation. */
const effects: Effects<LaterType> = {
  ...attemptEffects,
  ...moneyEffects,
  ...receiptEffects,
  ...endEffects,
};

function endedWithMoney(
  state: Operation,
  type: 'OperationCompleted' | 'OperationPartiallyCompleted',
  data: LaterData['OperationCompleted'],
): Operation {
  const { legs, report_version: _, evidence, ...settled } = data;
  return {
    ...state,
    status: terminalStatuses[type],
    legs: [...state.legs, ...legs],
    settled,
    ...(evidence && { evidence }),
  };
}

/**
 * A provider's reason may be any text, even one of the gateway's own reasons, which count only if
 * the provider was not called.
 */
function toAttemptFailure(attempt: Attempt | undefined, reason: string): AttemptFailure {
  const own = attempt?.dispatched === false && Object.hasOwn(failureBySkipReason, reason);
  return own ? failureBySkipReason[reason as keyof typeof failureBySkipReason] : 'refused';
}

function withAttempt(state: Operation, attempt: number, change: Partial<Attempt>): Attempt[] {
  if (!state.attempts.some((candidate) => candidate.attempt === attempt))
    throw new Error(`no attempt ${attempt}`);
  return state.attempts.map((candidate) =>
    candidate.attempt === attempt ? { ...candidate, ...change } : candidate,
  );
}

/** The state after all the events, from the start or from the state `from`. */
export function fold(
  events: Iterable<OperationEvent>,
  from: OperationState = noOperation,
): OperationState {
  let state = from;
  for (const event of events) state = evolve(state, event);
  return state;
}
