import { figuresFor } from '#shared/domain/commission.ts';
import { fromAmount, sum, toAmount, zero } from '#shared/domain/money.ts';
import { toDeclineReason } from '#shared/domain/operation/ends/decline-reason.ts';
import {
  decodeOperationEvent,
  terminalStatuses,
  type OperationEventOf,
  type StoredRequisites,
  type TerminalEventType,
} from '#shared/domain/operation/events.ts';
import { requestColumns } from '#shared/domain/operation/fields/request.ts';
import { overpaidAbove } from '#shared/domain/operation/overpaid.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { AttemptRow, OperationRow } from './table.ts';

type Event = ReturnType<typeof decodeOperationEvent>;
type LaterEvent = Exclude<Event, { type: 'OperationAdmitted' }>;

/**
 * The row after one more event of its operation. Pure.
 * @throws for an event that can't follow, or that this version does not know
 */
export function projectOperation(
  before: OperationRow | undefined,
  stored: StoredEvent,
): OperationRow | undefined {
  const event = decodeOperationEvent(stored);
  const newest = {
    revision: stored.revision,
    position: stored.position.toString(),
    updated_at: stored.created,
  };
  // A cancel before its create: there is no operation yet, and nothing to list.
  if (event.type === 'OperationCancelledBeforeCreate' && !before && stored.revision === 0)
    return undefined;
  if (event.type === 'OperationAdmitted') {
    if (before) throw new Error('the operation was admitted before');
    return { ...admission(event.data, stored.created), ...newest };
  }
  if (!before) throw new Error(`an operation begins with its admission, not with ${event.type}`);
  const after = apply({ ...before, ...newest }, event, stored.metadata.actor);
  if (after.status === before.status) return after;
  return { ...after, status_since: stored.created, statuses_count: before.statuses_count + 1 };
}

/** `row` has the event's time, revision and position already. */
function apply(row: OperationRow, event: LaterEvent, actor: string): OperationRow {
  const at = row.updated_at;
  switch (event.type) {
    case 'OperationCancelledBeforeCreate':
      throw new Error('a cancel before the create is the first event');
    case 'ReservationRequested':
      return requested(row, event);
    case 'FundsReserved':
      return { ...row, reserved_at: row.reserved_at ?? at };
    case 'ReceiptUploaded':
      return { ...row, receipts_count: row.receipts_count + 1, receipt_uploaded_at: at };
    case 'RoutesSkipped':
    case 'ReceiptSubmitted':
    case 'CloseDecided':
      return row;
    case 'ManualCheckStarted':
      return { ...row, status: 'manual_check', manual_check_reason: event.data.reason ?? null };
    case 'ReviewDecided': {
      const { decision } = event.data;
      const reviewed = { ...row, review_decision: decision, reviewed_by: actor, reviewed_at: at };
      return decision === 'ask_again'
        ? { ...reviewed, status: 'awaiting_confirmation', manual_check_reason: null }
        : reviewed;
    }
    case 'AttemptStarted':
    case 'AttemptAccepted':
    case 'AttemptRefused':
    case 'AttemptUnresolved':
    case 'AttemptWithdrawn':
      return applyAttempt(row, event);
    case 'LegReceived':
      return {
        ...row,
        legs_count: row.legs_count + 1,
        actual_amount: sum([row.actual_amount, event.data.leg.amount]),
      };
    case 'LegCorrected': {
      const { leg, was } = event.data;
      const others = fromAmount(row.actual_amount).minus(was);
      return { ...row, actual_amount: sum([toAmount(others), leg.amount]) };
    }
    case 'LegReturned': {
      const left = fromAmount(row.actual_amount).minus(event.data.counted);
      return { ...row, actual_amount: toAmount(left) };
    }
    case 'OperationCompleted':
    case 'OperationPartiallyCompleted':
      return { ...ended(row, event), legs_count: row.legs_count + event.data.legs.length };
    case 'OperationDeclined':
      return { ...ended(row, event), decline_reason: toDeclineReason(event.data.reason) };
    case 'OperationExpired':
      return ended(row, event);
    case 'OperationCancelled':
      return { ...ended(row, event), cancel_reason: event.data.reason };
  }
}

type AcceptedEvent = OperationEventOf<'AttemptAccepted'>;
type StartedEvent = OperationEventOf<'AttemptStarted'>;
type AttemptEvent =
  | StartedEvent
  | AcceptedEvent
  | OperationEventOf<'AttemptRefused'>
  | OperationEventOf<'AttemptUnresolved'>
  | OperationEventOf<'AttemptWithdrawn'>;

function applyAttempt(row: OperationRow, event: AttemptEvent): OperationRow {
  const answered_at = row.updated_at.toISOString();
  switch (event.type) {
    case 'AttemptStarted':
      return started(row, event);
    case 'AttemptAccepted':
      return accepted(row, event);
    case 'AttemptRefused': {
      const { attempt, reason } = event.data;
      return {
        ...row,
        attempts: withAttempt(row, attempt, { outcome: 'refused', answered_at, reason }),
      };
    }
    case 'AttemptUnresolved': {
      const { attempt, cause } = event.data;
      const attempts = withAttempt(row, attempt, {
        outcome: 'unresolved',
        answered_at,
        reason: cause,
      });
      // A payout that its provider may have accepted stays open until the provider reports its
      // outcome.
      return { ...row, attempts, ...(row.type === 'payout' && { status: 'pending' }) };
    }
    case 'AttemptWithdrawn':
      return { ...row, attempts: withAttempt(row, event.data.attempt, { outcome: 'withdrawn' }) };
  }
}

function started(row: OperationRow, { data }: StartedEvent): OperationRow {
  const { attempt, route } = data;
  const { provider, account, priority, commission, conversion, max_amount } = route;
  const newAttempt = {
    attempt,
    provider,
    priority,
    outcome: 'started',
    started_at: row.updated_at.toISOString(),
  } as const;
  const attempts: AttemptRow[] = [
    ...row.attempts,
    {
      ...newAttempt,
      ...(account !== undefined && { account }),
      commission,
      ...(conversion && { conversion }),
      ...(max_amount !== undefined && { max_amount }),
    },
  ];
  // An earlier route's quote does not apply to this one.
  return expected({ ...row, attempts, attempts_count: attempts.length, fx_rate: null }, attempt);
}

function accepted(row: OperationRow, { data }: AcceptedEvent): OperationRow {
  const { attempt, provider_reference, expires_at, fx_rate, confirmation_required } = data;
  const after: OperationRow = {
    ...row,
    status: confirmation_required ? 'awaiting_confirmation' : 'pending',
    attempts: withAttempt(row, attempt, {
      outcome: 'accepted',
      answered_at: row.updated_at.toISOString(),
      provider_reference,
    }),
    provider_reference,
    confirmation_required,
    // For a payout, the provider's requisites are not where its money goes.
    ...(row.type === 'payment' && bankColumns(data.requisites)),
    fx_rate: fx_rate ?? row.fx_rate,
    expires_at: expires_at === undefined ? null : new Date(expires_at),
    accepted_at: row.updated_at,
  };
  // The current route's figures are already there.
  const isUnchanged = attempt === row.attempts_count && after.fx_rate === row.fx_rate;
  return isUnchanged ? after : expected(after, attempt);
}

function requested(
  row: OperationRow,
  { data: { reservation, currency, amount, fx_rate } }: OperationEventOf<'ReservationRequested'>,
): OperationRow {
  const initial = {
    reservation,
    reserved_currency: currency,
    reserved_amount: amount,
    reserved_at: null,
    fx_rate: fx_rate ?? null,
  };
  return expected({ ...row, ...initial }, row.attempts_count);
}

/** Only the bank: other fields are personal. */
function bankColumns(recipient: StoredRequisites | undefined) {
  return {
    bankname: recipient?.bankname ?? null,
    bankname_details: recipient?.bankname_details ?? null,
  };
}

type Admission = OperationEventOf<'OperationAdmitted'>['data'];

function admission(
  data: Admission,
  createdAt: Date,
): Omit<OperationRow, 'revision' | 'position' | 'updated_at'> {
  const { request } = data;
  return {
    operation_id: data.operation_id,
    shop_id: data.shop_id,
    merchant_id: data.merchant_id,
    merchant_operation_id: data.merchant_operation_id,
    ...requestColumns(request),
    type: data.type,
    status: 'creating',
    status_since: createdAt,
    statuses_count: 1,
    method: request.method,
    ...bankColumns(request.destination),
    currency: request.currency,
    expected_amount: request.amount,
    actual_amount: zero,
    overpaid_above: data.type === 'payment' ? overpaidAbove(request.amount, undefined) : null,
    legs_count: 0,
    fx_source: null,
    fx_rate: null,
    recorded_currency: null,
    recorded_amount: null,
    settlement_currency: request.currency,
    settlement_amount: null,
    commission_amount: null,
    reservation: null,
    reserved_currency: null,
    reserved_amount: null,
    reserved_at: null,
    provider: null,
    provider_reference: null,
    route_priority: null,
    attempts_count: 0,
    attempts: [],
    confirmation_required: false,
    receipts_count: 0,
    receipt_uploaded_at: null,
    manual_check_reason: null,
    review_decision: null,
    reviewed_by: null,
    reviewed_at: null,
    decline_reason: null,
    cancel_reason: null,
    created_at: createdAt,
    accept_until: new Date(data.accept_until),
    accepted_at: null,
    expires_at: null,
    ended_at: null,
  };
}

/** The row with an attempt's route and its expected figures. */
function expected(row: OperationRow, attempt: number): OperationRow {
  const route = requireAttempt(row, attempt);
  const currency = route.conversion?.settlement_currency ?? row.currency;
  const { settlement_amount, commission_amount } = figuresFor(row.expected_amount, {
    type: row.type,
    currency,
    commission: route.commission,
    fxRate: row.fx_rate ?? undefined,
  });
  return {
    ...row,
    provider: route.provider,
    route_priority: route.priority,
    fx_source: route.conversion?.fx_source ?? null,
    settlement_currency: currency,
    settlement_amount,
    commission_amount,
    ...(row.type === 'payment' && {
      overpaid_above: overpaidAbove(row.expected_amount, route.max_amount),
    }),
  };
}

type End = { [Type in TerminalEventType]: OperationEventOf<Type> }[TerminalEventType];

function ended(row: OperationRow, { type, data }: End): OperationRow {
  return {
    ...row,
    status: terminalStatuses[type],
    actual_amount: data.actual_amount,
    recorded_currency: data.recorded_amount === undefined ? null : row.settlement_currency,
    recorded_amount: data.recorded_amount ?? null,
    settlement_amount: data.settlement_amount,
    commission_amount: data.commission_amount,
    manual_check_reason: null,
    ended_at: row.updated_at,
  };
}

function requireAttempt(row: OperationRow, attempt: number): AttemptRow {
  const current = row.attempts.find((candidate) => candidate.attempt === attempt);
  if (!current) throw new Error(`there is no attempt ${attempt}`);
  return current;
}

function withAttempt(
  row: OperationRow,
  attempt: number,
  change: Partial<AttemptRow>,
): AttemptRow[] {
  const current = requireAttempt(row, attempt);
  return row.attempts.map((candidate) =>
    candidate === current ? { ...current, ...change } : candidate,
  );
}
