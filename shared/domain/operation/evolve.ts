import { terminalStatuses, type OperationEvent } from './events.ts';
import {
  attemptOf,
  noOperation,
  passedOver,
  type Attempt,
  type Failure,
  type Operation,
  type OperationState,
} from './state.ts';

/** The state after one more event. Pure; an event that can't follow is a broken log, and throws. */
export function evolve(state: OperationState, event: OperationEvent): OperationState {
  const revision = state.revision + 1;
  if (event.type === 'OperationCancelledBeforeCreate') {
    if (state.phase !== 'none') throw new Error(`a cancel comes first, not at revision ${revision}`);
    const { operation_id: operationId, reason } = event.data;
    return { phase: 'cancelled_first', revision, operationId, reason };
  }
  if (event.type === 'OperationAdmitted') {
    if (state.phase === 'admitted')
      throw new Error(`an operation is admitted once, not again at revision ${revision}`);
    const { data } = event;
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
      legs: [],
      reservations: [],
      receipts: [],
      declinedByReview: false,
      approvedByReview: false,
      closedByHand: false,
      webhooks: 0,
    };
  }
  if (state.phase !== 'admitted')
    throw new Error(`an operation begins with its admission, not with ${event.type}`);
  const next = { ...apply(state, event), ...reportIn(event), revision };
  return owesWebhook(state, next) ? { ...next, webhooks: state.webhooks + 1 } : next;
}

const reportIn = ({ data }: OperationEvent) =>
  'report_version' in data && data.report_version !== undefined && { reportVersion: data.report_version };

type LaterEvent = Exclude<OperationEvent, { type: 'OperationAdmitted' | 'OperationCancelledBeforeCreate' }>;

function apply(state: Operation, event: LaterEvent): Operation {
  switch (event.type) {
    case 'AttemptStarted':
      return {
        ...state,
        attempts: [
          ...state.attempts,
          { ...event.data, outcome: 'started', dispatched: state.type === 'payment' },
        ],
      };
    case 'ReservationRequested': {
      const { reservation, currency, amount, fx_rate } = event.data;
      const rate = fx_rate !== undefined && { fxRate: fx_rate };
      const requested = { reservation, currency, amount, ...rate, noted: false };
      return { ...state, reservations: [...state.reservations, requested] };
    }
    case 'FundsReserved': {
      const { reservation, attempt } = event.data;
      return {
        ...state,
        attempts: withAttempt(state, attempt, { dispatched: true }),
        reservations: state.reservations.map((each) =>
          each.reservation === reservation ? { ...each, noted: true } : each,
        ),
      };
    }
    case 'AttemptAccepted': {
      const { attempt, provider_reference, requisites, expires_at, fx_rate, confirmation_required } =
        event.data;
      return {
        ...state,
        status: confirmation_required ? 'awaiting_confirmation' : 'pending',
        attempts: withAttempt(state, attempt, { outcome: 'accepted', providerReference: provider_reference }),
        accepted: {
          attempt,
          confirmationRequired: confirmation_required,
          ...(requisites && { requisites }),
          ...(expires_at && { expiresAt: expires_at }),
          ...(fx_rate && { fxRate: fx_rate }),
        },
      };
    }
    case 'AttemptRefused': {
      const { attempt, reason } = event.data;
      const failure = failureOf(attemptOf(state, attempt), reason);
      return { ...state, attempts: withAttempt(state, attempt, { outcome: 'refused', failure }) };
    }
    case 'AttemptUnresolved':
      return {
        ...state,
        // A payout whose provider may have taken it goes on until that provider says (R7.6).
        ...(state.type === 'payout' && { status: 'pending' }),
        attempts: withAttempt(state, event.data.attempt, {
          outcome: 'unresolved',
          failure: event.data.cause,
        }),
      };
    case 'AttemptWithdrawn':
      return { ...state, attempts: withAttempt(state, event.data.attempt, { outcome: 'withdrawn' }) };
    case 'LegReceived':
      return { ...state, legs: [...state.legs, event.data.leg] };
    case 'LegCorrected': {
      const { leg } = event.data;
      return { ...state, legs: state.legs.map((known) => (known.leg_id === leg.leg_id ? leg : known)) };
    }
    case 'ReceiptUploaded': {
      const { receipt_id: receiptId, sha256, pdf } = event.data;
      const receipts = [...state.receipts, { receiptId, sha256, pdf, submitted: false }];
      return { ...state, receipts, receiptUnderReview: receiptId };
    }
    case 'ReceiptSubmitted':
      return {
        ...state,
        receipts: state.receipts.map((receipt) =>
          receipt.receiptId === event.data.receipt_id ? { ...receipt, submitted: true } : receipt,
        ),
      };
    case 'ManualCheckStarted': {
      const { manualCheckReason: _, ...rest } = state;
      const { reason } = event.data;
      return { ...rest, status: 'manual_check', ...(reason && { manualCheckReason: reason }) };
    }
    case 'ReviewDecided': {
      const { decision } = event.data;
      if (decision === 'approve') return { ...state, approvedByReview: true };
      if (decision === 'decline') return { ...state, declinedByReview: true };
      const { manualCheckReason: _reason, receiptUnderReview: _receipt, ...rest } = state;
      return { ...rest, status: 'awaiting_confirmation' };
    }
    case 'CloseDecided':
      return { ...state, closedByHand: true };
    case 'OperationCompleted':
    case 'OperationPartiallyCompleted': {
      const { legs, report_version: _, evidence, ...settled } = event.data;
      return {
        ...state,
        status: terminalStatuses[event.type],
        legs: [...state.legs, ...legs],
        settled,
        ...(evidence && { evidence }),
      };
    }
    case 'OperationDeclined': {
      const { reason, report_version: _, ...settled } = event.data;
      return { ...state, status: 'declined', settled, declineReason: reason };
    }
    case 'OperationExpired': {
      const { report_version: _, ...settled } = event.data;
      return { ...state, status: 'expired', settled };
    }
    case 'OperationCancelled': {
      const { reason: _, ...settled } = event.data;
      return { ...state, status: 'cancelled', settled };
    }
  }
}

/** A provider's reason may be any text: the gateway's own stand where it was never called. */
function failureOf(attempt: Attempt | undefined, reason: string): Failure {
  const own = attempt?.dispatched === false && Object.hasOwn(passedOver, reason);
  return own ? passedOver[reason as keyof typeof passedOver] : 'refused';
}

function withAttempt(state: Operation, attempt: number, change: Partial<Attempt>): Attempt[] {
  if (!state.attempts.some((candidate) => candidate.attempt === attempt))
    throw new Error(`no attempt ${attempt}`);
  return state.attempts.map((candidate) =>
    candidate.attempt === attempt ? { ...candidate, ...change } : candidate,
  );
}

/** A webhook is owed on entry into awaiting_confirmation and into a terminal status (R14.1). */
function owesWebhook(before: Operation, after: Operation): boolean {
  return before.status !== after.status && after.status in webhookStatuses;
}

/** The statuses whose entry the merchant is told of. */
export const webhookStatuses = {
  awaiting_confirmation: true,
  completed: true,
  partially_completed: true,
  declined: true,
  expired: true,
  cancelled: true,
} as const;

/** The state that the events lead to, from the first one on or from where `from` stands. */
export function fold(events: Iterable<OperationEvent>, from: OperationState = noOperation): OperationState {
  let state = from;
  for (const event of events) state = evolve(state, event);
  return state;
}
