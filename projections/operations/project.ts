import { figuresFor } from '#shared/domain/figures.ts';
import { sum, zero } from '#shared/domain/money.ts';
import {
  decodeOperationEvent,
  terminalStatuses,
  type OperationEventOf,
  type TerminalEventType,
} from '#shared/domain/operation/events.ts';
import type { StoredEvent } from '#shared/event-store/index.ts';
import type { AttemptRow, OperationRow } from './table.ts';

/**
 * The row after one more event of its operation. Pure: nothing but the row and the event goes in.
 * @throws for an event that can't follow, or that this version of the code does not know.
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
  // A cancel whose create has not come: no operation yet, and nothing to list.
  if (event.type === 'OperationCancelledBeforeCreate' && !before && stored.revision === 0) return undefined;
  if (event.type === 'OperationAdmitted') {
    if (before) throw new Error('the operation was admitted before');
    return { ...admission(event.data, stored.created), ...newest };
  }
  if (!before) throw new Error(`an operation begins with its admission, not with ${event.type}`);
  const row: OperationRow = { ...before, ...newest };
  switch (event.type) {
    case 'OperationCancelledBeforeCreate':
      throw new Error('a cancel before the create is the first event');
    case 'FundsReserved':
    case 'ReceiptSubmitted':
      return row;
    case 'ReservationRequested':
      return expected({ ...row, fx_rate: event.data.fx_rate ?? null }, before.attempts_count);
    case 'ReceiptUploaded':
      return { ...row, receipts_count: row.receipts_count + 1 };
    case 'ManualCheckStarted':
      return { ...row, status: 'manual_check', manual_check_reason: event.data.reason ?? null };
    case 'ReviewDecided':
      return event.data.decision === 'ask_again'
        ? { ...row, status: 'awaiting_confirmation', manual_check_reason: null }
        : row;
    case 'AttemptStarted': {
      const { attempt, route } = event.data;
      const { provider, priority, commission, conversion } = route;
      const attempts = [
        ...before.attempts,
        { attempt, provider, priority, outcome: 'started', commission, ...(conversion && { conversion }) },
      ] satisfies AttemptRow[];
      return expected({ ...row, attempts, attempts_count: attempts.length }, attempt);
    }
    case 'AttemptAccepted': {
      const { attempt, provider_reference, expires_at, fx_rate, confirmation_required } = event.data;
      const accepted: OperationRow = {
        ...row,
        status: confirmation_required ? 'awaiting_confirmation' : 'pending',
        attempts: withAttempt(before, attempt, { outcome: 'accepted', provider_reference }),
        confirmation_required,
        fx_rate: fx_rate ?? row.fx_rate,
        expires_at: expires_at === undefined ? null : new Date(expires_at),
        accepted_at: stored.created,
      };
      return expected(accepted, attempt);
    }
    case 'AttemptRefused': {
      const { attempt, reason } = event.data;
      return { ...row, attempts: withAttempt(before, attempt, { outcome: 'refused', reason }) };
    }
    case 'AttemptUnresolved': {
      const { attempt, cause } = event.data;
      const attempts = withAttempt(before, attempt, { outcome: 'unresolved', reason: cause });
      // A payout whose provider may have taken it goes on until that provider says.
      return { ...row, attempts, ...(row.type === 'payout' && { status: 'pending' }) };
    }
    case 'AttemptWithdrawn':
      return { ...row, attempts: withAttempt(before, event.data.attempt, { outcome: 'withdrawn' }) };
    case 'LegReceived':
      return {
        ...row,
        legs: row.legs + 1,
        actual_amount: sum([row.actual_amount, event.data.leg.amount]),
      };
    case 'OperationCompleted':
    case 'OperationPartiallyCompleted':
      return { ...ended(row, event), legs: row.legs + event.data.legs.length };
    case 'OperationDeclined':
      return { ...ended(row, event), decline_reason: event.data.reason };
    case 'OperationExpired':
      return ended(row, event);
    case 'OperationCancelled':
      return { ...ended(row, event), cancel_reason: event.data.reason };
  }
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
    client_id: request.client_id,
    type: data.type,
    status: 'creating',
    method: request.method,
    currency: request.currency,
    expected_amount: request.amount,
    actual_amount: zero,
    legs: 0,
    fx_source: null,
    fx_rate: null,
    recorded_currency: null,
    recorded_amount: null,
    settlement_currency: request.currency,
    settlement_amount: null,
    commission_amount: null,
    provider: null,
    route_priority: null,
    attempts_count: 0,
    attempts: [],
    confirmation_required: false,
    receipts_count: 0,
    manual_check_reason: null,
    decline_reason: null,
    cancel_reason: null,
    created_at: createdAt,
    accept_until: new Date(data.accept_until),
    accepted_at: null,
    expires_at: null,
    ended_at: null,
  };
}

/** The row with the route of an attempt and the figures that are expected on it. */
function expected(row: OperationRow, attempt: number): OperationRow {
  const route = attemptOf(row, attempt);
  const { settlement_amount, commission_amount } = figuresFor(row.expected_amount, {
    type: row.type,
    commission: route.commission,
    fxRate: row.fx_rate ?? undefined,
  });
  return {
    ...row,
    provider: route.provider,
    route_priority: route.priority,
    fx_source: route.conversion?.fx_source ?? null,
    settlement_currency: route.conversion?.settlement_currency ?? row.currency,
    settlement_amount,
    commission_amount,
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

function attemptOf(row: OperationRow, attempt: number): AttemptRow {
  const found = row.attempts.find((candidate) => candidate.attempt === attempt);
  if (!found) throw new Error(`there is no attempt ${attempt}`);
  return found;
}

function withAttempt(row: OperationRow, attempt: number, change: Partial<AttemptRow>): AttemptRow[] {
  const found = attemptOf(row, attempt);
  return row.attempts.map((candidate) => (candidate === found ? { ...found, ...change } : candidate));
}
