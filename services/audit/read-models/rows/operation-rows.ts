import type { OperationEvent, OperationEventOf } from '#shared/domain/operation/events.ts';
import { requestColumns } from '#shared/domain/operation/fields/request.ts';
import { declineReasonShown } from '../../log/operation/decline-reason.ts';
import { formatExactMinor, sumAmounts } from '../../log/operation/exact-arithmetic.ts';
import {
  findLedgerCurrency,
  findFxRate,
  auditedRoute,
  type OperationFacts,
  type AuditedStatus,
} from '../../log/operation/fold.ts';
import { expectedFigures } from '../../log/operation/message.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { findOverpaidThreshold } from '../../log/operation/overpaid.ts';
import { jsonbText } from './jsonb.ts';
import type { Row } from './tables.ts';
import { applyUpload } from './uploads.ts';

/** The columns of an operation's rows beyond what the rules need. Plain data. */
export type OperationRows = {
  merchantId: string;
  createdMs: number;
  updatedMs: number;
  revision: number;
  position: number;
  statuses: {
    status: AuditedStatus;
    atMs: number;
    by: string;
    revision: number;
    position: number;
  }[];
  attempts: {
    account?: string | undefined;
    priority: number;
    conversion?: object;
    startedMs: number;
    answeredMs?: number;
    reference?: string;
    reason?: string;
  }[];
  legs: {
    attempt: number | null;
    completedMs: number;
    file: boolean;
    recordedMs: number;
    position: number;
  }[];
  /** In addition to those of `OperationFacts`. */
  returns: { attempt: number; completedMs: number }[];
  uploads: Row[];
  decisions: Row[];
  uploadedMs: number | null;
  reservedMs: number | null;
  acceptedMs: number | null;
  review: { decision: string; by: string; atMs: number } | null;
  declineReason: string | null;
  cancelReason: string | null;
};

export function newOperationRows(merchantId: string, atMs: number): OperationRows {
  return {
    merchantId,
    createdMs: atMs,
    updatedMs: atMs,
    revision: 0,
    position: 0,
    statuses: [],
    attempts: [],
    legs: [],
    returns: [],
    uploads: [],
    decisions: [],
    uploadedMs: null,
    reservedMs: null,
    acceptedMs: null,
    review: null,
    declineReason: null,
    cancelReason: null,
  };
}

/** Applies one event, after `facts` have. */
export function applyToRows(
  rows: OperationRows,
  facts: OperationFacts,
  { event, envelope }: { event: OperationEvent; envelope: EventEnvelope },
): void {
  const { atMs } = envelope;
  applyStatus(rows, facts, envelope);
  applyUpload(rows.uploads, facts, { event, envelope });
  const answer = (attempt: number, what: { reference?: string; reason?: string }) =>
    applyAnswer(rows, facts, attempt, { answeredMs: atMs, ...what });
  switch (event.type) {
    case 'AttemptStarted': {
      const { account, priority, conversion } = event.data.route;
      rows.attempts.push({ account, priority, startedMs: atMs, ...(conversion && { conversion }) });
      return;
    }
    case 'FundsReserved':
      rows.reservedMs ??= atMs;
      return;
    case 'ReservationRequested':
      rows.reservedMs = null;
      return;
    case 'AttemptAccepted':
      rows.acceptedMs = atMs;
      answer(event.data.attempt, { reference: event.data.provider_reference });
      return;
    case 'AttemptRefused':
      answer(event.data.attempt, { reason: event.data.reason });
      return;
    case 'AttemptUnresolved':
      answer(event.data.attempt, { reason: event.data.cause });
      return;
    case 'LegReceived':
      rows.legs.push(toLegRow(event.data.attempt, event.data.leg, envelope));
      return;
    case 'LegCorrected':
    case 'LegReturned':
      applyChangedLeg(rows, facts, { event, envelope });
      return;
    case 'ReceiptUploaded':
      rows.uploadedMs = atMs;
      return;
    case 'ReviewDecided':
    case 'CloseDecided':
      rows.decisions.push(decisionRow(facts, { event, envelope }));
      if (event.type === 'ReviewDecided')
        rows.review = { decision: event.data.decision, by: envelope.actor, atMs };
      return;
    case 'OperationCompleted':
    case 'OperationPartiallyCompleted':
      for (const each of event.data.legs)
        rows.legs.push(toLegRow(facts.accepted?.attempt ?? null, each, envelope));
      return;
    case 'OperationDeclined':
      rows.declineReason = declineReasonShown(event.data.reason);
      return;
    case 'OperationCancelled':
      rows.cancelReason = event.data.reason;
      return;
    case 'OperationAdmitted':
    case 'OperationCancelledBeforeCreate':
    case 'RoutesSkipped':
    case 'AttemptWithdrawn':
    case 'ReceiptSubmitted':
    case 'ManualCheckStarted':
    case 'OperationExpired':
      return;
  }
}

function applyStatus(
  rows: OperationRows,
  { status }: OperationFacts,
  { atMs, actor, event }: EventEnvelope,
): void {
  const { revision, position } = event;
  Object.assign(rows, { updatedMs: atMs, revision, position });
  if (rows.statuses.at(-1)?.status !== status)
    rows.statuses.push({ status, atMs, by: actor, revision, position });
}

function applyAnswer(
  rows: OperationRows,
  facts: OperationFacts,
  number: number,
  answer: { answeredMs: number; reference?: string; reason?: string },
): void {
  const attempt = rows.attempts[facts.attempts.findIndex((each) => each.attempt === number)];
  if (attempt) Object.assign(attempt, answer);
}

const toLegRow = (
  attempt: number | null,
  { completed_at, file }: { completed_at: string; file: boolean },
  { atMs, event: { position } }: EventEnvelope,
): OperationRows['legs'][number] => ({
  attempt,
  completedMs: Date.parse(completed_at),
  file,
  recordedMs: atMs,
  position,
});

type ChangedLeg = OperationEventOf<'LegCorrected'> | OperationEventOf<'LegReturned'>;
function applyChangedLeg(
  rows: OperationRows,
  facts: OperationFacts,
  { event: { type, data }, envelope }: { event: ChangedLeg; envelope: EventEnvelope },
): void {
  if (type === 'LegReturned')
    rows.returns.push({
      attempt: data.attempt,
      completedMs: Date.parse(data.returned.completed_at),
    });
  if (!data.leg) return;
  const { leg_id: legId, completed_at, file } = data.leg;
  const changed = rows.legs[facts.legs.findIndex((each) => each.legId === legId)];
  const { position } = envelope.event;
  const update = {
    completedMs: Date.parse(completed_at),
    file,
    recordedMs: envelope.atMs,
    position,
  };
  if (changed) Object.assign(changed, update);
}

/** The row of gateway.operation_decisions. */
function decisionRow(
  { operationId, shopId }: OperationFacts,
  {
    event: { type, data },
    envelope,
  }: {
    event: Extract<OperationEvent, { type: 'ReviewDecided' | 'CloseDecided' }>;
    envelope: EventEnvelope;
  },
): Row {
  const { revision, position } = envelope.event;
  return {
    operation_id: operationId,
    revision,
    shop_id: shopId,
    decision: type === 'CloseDecided' ? 'close' : data.decision,
    approved_amount: (type === 'ReviewDecided' && data.actual_amount) || null,
    actor: envelope.actor,
    token_id: envelope.tokenId ?? null,
    decided_at: envelope.atMs,
    position,
  };
}

/** The row of gateway.operations. */
export function operationRow(rows: OperationRows, facts: OperationFacts): Row {
  const route = auditedRoute(facts);
  const { end, accepted } = facts;
  const rate = findFxRate(facts);
  const reservation = facts.reservations.at(-1);
  const currency = findLedgerCurrency(facts);
  const figures = end ?? expectedFigures(facts);
  const recipient = facts.type === 'payout' ? facts.destination : accepted?.requisites;
  const at = facts.attempts.indexOf(route as never);
  return {
    operation_id: facts.operationId,
    shop_id: facts.shopId,
    merchant_id: rows.merchantId,
    merchant_operation_id: facts.merchantOperationId,
    ...copiedColumns(facts),
    type: facts.type,
    status: facts.status,
    status_since: rows.statuses.at(-1)?.atMs ?? null,
    statuses_count: rows.statuses.length,
    method: facts.method,
    bankname: recipient?.bankname ?? null,
    bankname_details: recipient?.bankname_details ?? null,
    currency: facts.currency,
    expected_amount: facts.amount,
    actual_amount:
      end?.actual ?? formatExactMinor(sumAmounts(facts.legs.map(({ amount }) => amount))),
    overpaid_above: findOverpaidThreshold(facts),
    legs_count: facts.legs.length,
    fx_source: route?.fxSource ?? null,
    fx_rate: rate ?? null,
    recorded_currency: end?.recorded === undefined ? null : currency,
    recorded_amount: end?.recorded ?? null,
    settlement_currency: currency,
    settlement_amount: figures?.settlement ?? null,
    commission_amount: figures?.commission ?? null,
    reservation: reservation?.reservation ?? null,
    reserved_currency: reservation?.currency ?? null,
    reserved_amount: reservation?.amount ?? null,
    reserved_at: rows.reservedMs,
    provider: route?.provider ?? null,
    provider_reference: rows.attempts[at]?.reference ?? null,
    route_priority: rows.attempts[at]?.priority ?? null,
    attempts_count: facts.attempts.length,
    attempts: jsonbText(attemptsShown(rows, facts)),
    confirmation_required: accepted?.confirmationRequired ?? false,
    receipts_count: facts.receipts.length,
    receipt_uploaded_at: rows.uploadedMs,
    manual_check_reason: end ? null : (facts.manualCheckReason ?? null),
    review_decision: rows.review?.decision ?? null,
    reviewed_by: rows.review?.by ?? null,
    reviewed_at: rows.review?.atMs ?? null,
    decline_reason: rows.declineReason,
    cancel_reason: rows.cancelReason,
    created_at: rows.createdMs,
    accept_until: facts.acceptUntilMs,
    accepted_at: rows.acceptedMs,
    expires_at: accepted?.expiresAt === undefined ? null : Date.parse(accepted.expiresAt),
    ended_at: end?.atMs ?? null,
    updated_at: rows.updatedMs,
    revision: rows.revision,
    position: rows.position,
  };
}

const copiedColumns = ({ copied }: OperationFacts): Row =>
  Object.fromEntries(
    Object.entries(requestColumns(copied)).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? jsonbText(value) : value,
    ]),
  );

const iso = (ms: number): string => new Date(ms).toISOString();

function attemptsShown(rows: OperationRows, facts: OperationFacts): object[] {
  return facts.attempts.map(({ attempt, provider, outcome, commission, maxAmount }, index) => {
    const {
      account,
      priority = 0,
      conversion,
      startedMs = 0,
      answeredMs,
      reference,
      reason,
    } = rows.attempts[index] ?? {};
    return {
      attempt,
      provider,
      ...(account !== undefined && { account }),
      priority,
      outcome,
      started_at: iso(startedMs),
      commission,
      ...(conversion && { conversion }),
      ...(maxAmount !== undefined && { max_amount: maxAmount }),
      ...(answeredMs !== undefined && { answered_at: iso(answeredMs) }),
      ...(reference !== undefined && { provider_reference: reference }),
      ...(reason !== undefined && { reason }),
    };
  });
}

/** The rows of gateway.status_history, in order. */
export function statusRows(rows: OperationRows, { operationId }: OperationFacts): Row[] {
  return rows.statuses.map(({ status, atMs, by, revision, position }, index) => {
    const next = rows.statuses[index + 1];
    return {
      operation_id: operationId,
      number: index + 1,
      status,
      entered_at: atMs,
      entered_by: by,
      left_at: next?.atMs ?? null,
      duration: next ? next.atMs - atMs : null,
      next_status: next?.status ?? null,
      revision,
      position,
    };
  });
}

/** The rows of gateway.legs. */
export function legRows(rows: OperationRows, facts: OperationFacts) {
  return facts.legs.map(({ legId, amount, synthetic }, index) => {
    const {
      attempt = null,
      completedMs = 0,
      file = false,
      recordedMs = 0,
      position = 0,
    } = rows.legs[index] ?? {};
    return {
      operation_id: facts.operationId,
      leg_id: legId,
      attempt,
      provider: facts.attempts.find((each) => each.attempt === attempt)?.provider ?? null,
      currency: facts.currency,
      amount,
      completed_at: completedMs,
      file,
      synthetic,
      recorded_at: recordedMs,
      position,
    };
  });
}

/** The rows of gateway.returned_legs. */
export function returnedLegRows(rows: OperationRows, facts: OperationFacts): Row[] {
  return facts.returns.map(({ legId, ofLegId, counted, atMs, position }, index) => {
    const { attempt = null, completedMs = 0 } = rows.returns[index] ?? {};
    return {
      operation_id: facts.operationId,
      leg_id: legId,
      of_leg_id: ofLegId,
      attempt,
      provider: facts.attempts.find((each) => each.attempt === attempt)?.provider ?? null,
      currency: facts.currency,
      amount: counted,
      completed_at: completedMs,
      recorded_at: atMs,
      position,
    };
  });
}
