import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import type { OperationEvent, OperationEventOf } from '#shared/domain/operation/events.ts';
import { copiedFields } from '#shared/domain/operation/fields/request.ts';
import type {
  CauseLocation,
  EventEnvelope,
  EventLocation,
} from '../../report/findings/report-violation.ts';
import type { AnswerEvidence } from '../pass/answers.ts';
import { declineReasonShown } from './decline-reason.ts';

/**
 * The auditor's state of an operation. Plain data, so that it can be spilled and read back. The
 * auditor folds events itself: it shares their schemas with the gateway, and which fields of a
 * request are only copied.
 */
export type AttemptFacts = {
  attempt: number;
  provider: string;
  /** The provider account; undefined: the default one. */
  account?: string;
  outcome: 'started' | 'accepted' | 'refused' | 'unresolved' | 'withdrawn';
  startedMs: number;
  /** Its provider may have been called. */
  dispatched: boolean;
  /** Why it failed; lack of funds, if the ledger refused its reservation. */
  failure?: 'refused' | 'insufficient_funds' | 'timeout' | 'error';
  commission: { percent: string; fixed: string };
  /** The most that its route takes. */
  maxAmount?: string;
  requiresReceipt: boolean;
  settlementCurrency?: string;
  fxSource?: string;
};

type ReservationFacts = {
  reservation: number;
  currency: string;
  amount: string;
  fxRate?: string;
  noted: boolean;
};

type LegFacts = { legId: string; amount: string; completedAt: string; synthetic: boolean };

type EndFacts = {
  actual: string;
  recorded?: string;
  settlement: string;
  commission: string;
  /** The provider stated that the legs are all of the evidence of the money. */
  evidence?: 'legs';
  declineReason?: string;
} & CauseLocation;

export type OperationFacts = {
  operationId: string;
  shopId: string;
  merchantOperationId: string;
  clientId: string;
  type: 'payment' | 'payout';
  method: string;
  amount: string;
  currency: string;
  destination?: { bankname?: string | undefined; bankname_details?: string | undefined };
  /** What is only copied of the request, as it is stored. */
  copied: ReturnType<typeof copiedFields>;
  admittedMs: number;
  acceptUntilMs: number;
  status: AuditedStatus;
  statusMs: number;
  attempts: AttemptFacts[];
  skippedRoutes: number;
  /** One of them had reached its daily limit. */
  skippedAsFull?: true;
  accepted?: {
    attempt: number;
    confirmationRequired: boolean;
    requisites?: {
      bankname?: string | undefined;
      bankname_details?: string | undefined;
      transfer_purpose?: string | undefined;
    };
    expiresAt?: string;
    fxRate?: string;
  };
  reservations: ReservationFacts[];
  legs: LegFacts[];
  /** The returns before the end, and how much they reduced the legs by. */
  returns: (EventLocation & { legId: string; ofLegId: string; amount: string; counted: string })[];
  /** The version of the newest report that changed something. */
  reportVersion?: number;
  receipts: { receiptId: string; sha256: string; submitted: boolean }[];
  underReview?: string;
  manualCheckReason?: 'potential_fake' | 'not_terminal';
  /** An operator approved or declined it: the end must follow. */
  reviewed?: 'approve' | 'decline';
  /** The amount that was approved. */
  approved?: string;
  /** An admin closed it by hand: the end must follow. */
  closed?: true;
  /** The actor of the newest review or close, with the token's id. */
  decidedBy?: string;
  /** What the first of its money or rates came with that no verified callback supports. */
  unsigned?: AnswerEvidence;
  /** The same of its rate alone. */
  unsignedRate?: AnswerEvidence;
  cancelledFirst: boolean;
  /** The event that a service admitted it after. */
  causationId?: string;
  /**
   * Admitted by an older version of the gateway, which withdrew attempts after an operator's
   * approval and took acceptances that would be refused today.
   */
  older?: true;
  end?: EndFacts;
  webhooks: number;
};

type AuditedStatus =
  | 'creating'
  | 'pending'
  | 'awaiting_confirmation'
  | 'manual_check'
  | 'completed'
  | 'partially_completed'
  | 'declined'
  | 'expired'
  | 'cancelled';

const endings = {
  OperationCompleted: 'completed',
  OperationPartiallyCompleted: 'partially_completed',
  OperationDeclined: 'declined',
  OperationExpired: 'expired',
  OperationCancelled: 'cancelled',
} as const;

type EndingType = keyof typeof endings;
export const isEnding = (type: string): type is EndingType => Object.hasOwn(endings, type);

export function admittedFacts(
  data: OperationEventOf<'OperationAdmitted'>['data'],
  atMs: number,
  cancelledFirst: boolean,
): OperationFacts {
  const { request } = data;
  const { bankname, bankname_details } = request.destination ?? {};
  return {
    operationId: data.operation_id,
    shopId: data.shop_id,
    merchantOperationId: data.merchant_operation_id,
    clientId: request.client_id,
    type: data.type,
    method: request.method,
    amount: request.amount,
    currency: request.currency,
    ...(request.destination && { destination: { bankname, bankname_details } }),
    copied: copiedFields(request),
    admittedMs: atMs,
    acceptUntilMs: Date.parse(data.accept_until),
    status: 'creating',
    statusMs: atMs,
    attempts: [],
    skippedRoutes: 0,
    reservations: [],
    legs: [],
    returns: [],
    receipts: [],
    cancelledFirst,
    webhooks: 0,
  };
}

const webhookStatuses: ReadonlySet<AuditedStatus> = new Set<AuditedStatus>([
  'awaiting_confirmation',
  ...Object.values(endings),
]);

/** Applies one event, allowed or not. @returns whether it causes a webhook (R14.1) */
export function applyEvent(
  facts: OperationFacts,
  event: OperationEvent,
  location: CauseLocation,
): boolean {
  const before = facts.status;
  applyChange(facts, event, location);
  if ('report_version' in event.data && event.data.report_version !== undefined)
    facts.reportVersion = event.data.report_version;
  if (facts.status === before) return false;
  facts.statusMs = location.atMs;
  if (!webhookStatuses.has(facts.status)) return false;
  facts.webhooks += 1;
  return true;
}

function applyChange(facts: OperationFacts, event: OperationEvent, location: CauseLocation): void {
  if (isEndEvent(event)) return end(facts, event, location);
  switch (event.type) {
    case 'OperationAdmitted':
    case 'OperationCancelledBeforeCreate':
      return;
    case 'RoutesSkipped':
      facts.skippedRoutes += event.data.routes.length;
      if (event.data.routes.some(({ reason }) => reason === 'route_full'))
        facts.skippedAsFull = true;
      return;
    case 'AttemptStarted':
    case 'ReservationRequested':
    case 'FundsReserved':
    case 'AttemptAccepted':
    case 'AttemptRefused':
    case 'AttemptWithdrawn':
    case 'AttemptUnresolved':
      return changeAttempt(facts, event, location);
    case 'LegReceived':
      addLegs(facts, [event.data.leg]);
      return;
    case 'LegCorrected': {
      const { leg_id: legId, amount, completed_at: completedAt } = event.data.leg;
      const corrected = facts.legs.find((each) => each.legId === legId);
      if (corrected) Object.assign(corrected, { amount, completedAt });
      return;
    }
    case 'LegReturned': {
      const { returned, counted, leg } = event.data;
      const { leg_id: legId, of_leg_id: ofLegId, amount } = returned;
      facts.returns.push({ legId, ofLegId, amount, counted, ...location });
      const left = facts.legs.find((each) => each.legId === leg?.leg_id);
      if (left && leg) left.amount = leg.amount;
      return;
    }
    case 'ReceiptUploaded':
      facts.receipts.push({
        receiptId: event.data.receipt_id,
        sha256: event.data.sha256,
        submitted: false,
      });
      facts.underReview = event.data.receipt_id;
      return;
    case 'ReceiptSubmitted': {
      const receipt = facts.receipts.find(({ receiptId }) => receiptId === event.data.receipt_id);
      if (receipt) receipt.submitted = true;
      return;
    }
    case 'ManualCheckStarted':
      facts.status = 'manual_check';
      if (event.data.reason === undefined) delete facts.manualCheckReason;
      else facts.manualCheckReason = event.data.reason;
      return;
    case 'ReviewDecided':
      if (event.data.decision === 'ask_again') {
        facts.status = 'awaiting_confirmation';
        delete facts.underReview;
        delete facts.manualCheckReason;
      } else {
        facts.reviewed = event.data.decision;
        if (event.data.actual_amount !== undefined) facts.approved = event.data.actual_amount;
      }
      return;
    case 'CloseDecided':
      facts.closed = true;
      return;
  }
}

type AttemptEvent = Extract<
  OperationEvent,
  {
    type:
      | 'AttemptStarted'
      | 'ReservationRequested'
      | 'FundsReserved'
      | 'AttemptAccepted'
      | 'AttemptRefused'
      | 'AttemptWithdrawn'
      | 'AttemptUnresolved';
  }
>;

function changeAttempt(facts: OperationFacts, event: AttemptEvent, { atMs }: EventLocation): void {
  const attempt = (wanted: number) => facts.attempts.find((each) => each.attempt === wanted);
  switch (event.type) {
    case 'AttemptStarted':
      facts.attempts.push(startedFacts(facts, event.data, atMs));
      return;
    case 'ReservationRequested': {
      const { reservation, currency, amount, fx_rate: fxRate } = event.data;
      facts.reservations.push({
        reservation,
        currency,
        amount,
        noted: false,
        ...(fxRate !== undefined && { fxRate }),
      });
      return;
    }
    case 'FundsReserved': {
      const reserved = facts.reservations.find(
        ({ reservation }) => reservation === event.data.reservation,
      );
      if (reserved) reserved.noted = true;
      const started = attempt(event.data.attempt);
      if (started) started.dispatched = true;
      return;
    }
    case 'AttemptAccepted': {
      const { data } = event;
      const acceptedAttempt = attempt(data.attempt);
      if (acceptedAttempt) acceptedAttempt.outcome = 'accepted';
      const { bankname, bankname_details, transfer_purpose } = data.requisites ?? {};
      facts.accepted = {
        attempt: data.attempt,
        confirmationRequired: data.confirmation_required,
        ...(data.requisites && {
          requisites: { bankname, bankname_details, transfer_purpose },
        }),
        ...(data.expires_at !== undefined && { expiresAt: data.expires_at }),
        ...(data.fx_rate !== undefined && { fxRate: data.fx_rate }),
      };
      facts.status = data.confirmation_required ? 'awaiting_confirmation' : 'pending';
      return;
    }
    case 'AttemptRefused':
    case 'AttemptWithdrawn':
    case 'AttemptUnresolved': {
      const answered = attempt(event.data.attempt);
      const outcomes = {
        AttemptRefused: 'refused',
        AttemptWithdrawn: 'withdrawn',
        AttemptUnresolved: 'unresolved',
      } as const;
      if (answered) answered.outcome = outcomes[event.type];
      if (answered && event.type === 'AttemptRefused')
        answered.failure = whyRefused(answered, event.data.reason);
      if (answered && event.type === 'AttemptUnresolved' && event.data.cause)
        answered.failure = event.data.cause;
      if (event.type === 'AttemptUnresolved' && facts.type === 'payout') facts.status = 'pending';
      return;
    }
  }
}

/** A provider may give any reason, so the gateway's own count only before it was called. */
function whyRefused(
  { dispatched }: AttemptFacts,
  reason: string,
): NonNullable<AttemptFacts['failure']> {
  if (dispatched) return 'refused';
  if (reason === 'quote_timeout') return 'timeout';
  if (reason === 'quote_error') return 'error';
  return reason === 'insufficient_funds' ? reason : 'refused';
}

function startedFacts(
  { type }: OperationFacts,
  { attempt, route }: OperationEventOf<'AttemptStarted'>['data'],
  startedMs: number,
): AttemptFacts {
  return {
    attempt,
    provider: route.provider,
    ...(route.account !== undefined && { account: route.account }),
    outcome: 'started',
    startedMs,
    dispatched: type === 'payment',
    commission: route.commission,
    ...(route.max_amount !== undefined && { maxAmount: route.max_amount }),
    requiresReceipt: route.requires_receipt,
    ...(route.conversion && {
      settlementCurrency: route.conversion.settlement_currency,
      fxSource: route.conversion.fx_source,
    }),
  };
}

type EndEvent = Extract<OperationEvent, { type: EndingType }>;
const isEndEvent = (event: OperationEvent): event is EndEvent => isEnding(event.type);

function end(facts: OperationFacts, event: EndEvent, location: CauseLocation): void {
  const { type, data } = event;
  if ('legs' in data) addLegs(facts, data.legs);
  facts.status = endings[type];
  facts.end ??= {
    actual: data.actual_amount,
    ...(data.recorded_amount !== undefined && { recorded: data.recorded_amount }),
    settlement: data.settlement_amount,
    commission: data.commission_amount,
    ...('evidence' in data && data.evidence && { evidence: data.evidence }),
    ...(event.type === 'OperationDeclined' && {
      declineReason: declineReasonShown(event.data.reason),
    }),
    ...location,
  };
}

function addLegs(
  facts: OperationFacts,
  legs: OperationEventOf<'OperationCompleted'>['data']['legs'],
): void {
  for (const { leg_id: legId, amount, completed_at: completedAt, synthetic = false } of legs)
    facts.legs.push({ legId, amount, completedAt, synthetic });
}

/** Whether two attempts are at one account of a provider, where a leg's id means one leg. */
export function usesSameAccount(
  operation: OperationFacts | undefined,
  left: number,
  right: number,
): boolean {
  const [one, other] = [left, right].map((wanted) =>
    operation?.attempts.find(({ attempt }) => attempt === wanted),
  );
  if (left === right) return true;
  if (!one || !other || one.provider !== other.provider) return false;
  return (one.account ?? defaultAccount) === (other.account ?? defaultAccount);
}

/** Whether the operation's legs and returns are at the account of this attempt. */
export const hasLegsOfAttempt = (operation: OperationFacts | undefined, attempt: number): boolean =>
  operation?.accepted !== undefined &&
  usesSameAccount(operation, operation.accepted.attempt, attempt);

/** The operation's route: that of the accepted attempt, else of the current one. */
export function auditedRoute(facts: OperationFacts): AttemptFacts | undefined {
  const { accepted } = facts;
  return accepted
    ? facts.attempts.find(({ attempt }) => attempt === accepted.attempt)
    : facts.attempts.at(-1);
}

/** A quote belongs to the route that it was requested for. */
export function findFxRate({
  accepted,
  attempts,
  reservations,
}: OperationFacts): string | undefined {
  const reservation = reservations.at(-1);
  const quoted =
    reservation?.reservation === attempts.at(-1)?.attempt ? reservation?.fxRate : undefined;
  return accepted?.fxRate ?? quoted;
}

export const findLedgerCurrency = (facts: OperationFacts): string =>
  auditedRoute(facts)?.settlementCurrency ?? facts.currency;

/** Whether a leg's amounts include what was returned of it before the end. */
export const hasGrossLegs = ({ metadata }: Pick<EventEnvelope, 'metadata'>): boolean =>
  metadata.schema_version >= 3;
