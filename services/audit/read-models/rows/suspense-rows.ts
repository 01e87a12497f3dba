import type { decodeLateEvent } from '#shared/domain/late/events.ts';
import { isSameMoney, toLateLeg, type AuditedEntity } from '../../log/entities/entity.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import type { RecordedEntry } from './ledger-rows.ts';
import type { Row } from './tables.ts';

export type LateInput = { event: ReturnType<typeof decodeLateEvent>; envelope: EventEnvelope };

/**
 * The row of gateway.suspense for a late fact, stored with the fact until an operator resolves it.
 */
export function applyLate(entity: AuditedEntity, { event, envelope }: LateInput): Row | undefined {
  const { id, revision, position } = envelope.event;
  if (event.type === 'LateStatusAcknowledged') {
    const noted = entity.lateStatuses.find(({ eventId }) => eventId === event.data.entry_id);
    return (
      noted?.row &&
      resolve(noted.row, { resolution: 'acknowledge', note: event.data.note }, envelope)
    );
  }
  if (event.type === 'ApprovedMoneyConfirmed') return undefined;
  const { operation_id, shop_id, merchant_id, provider, attempt } = event.data;
  const row: Row = {
    entry_id: id,
    kind: 'late_status',
    status: 'open',
    operation_id,
    shop_id,
    merchant_id,
    provider,
    attempt,
    currency: null,
    amount: null,
    leg_id: null,
    provider_leg_id: null,
    of_leg_id: null,
    beyond_amount: null,
    completed_at: null,
    counted_amount: null,
    reported_amount: null,
    reported_status: null,
    operation_status: null,
    received_at: envelope.atMs,
    resolution: null,
    note: null,
    resolved_by: null,
    resolved_at: null,
    revision,
    position,
  };
  if (
    event.type !== 'LateMoneyReceived' &&
    event.type !== 'MoneyReturned' &&
    event.type !== 'DifferenceReported'
  ) {
    Object.assign(row, withoutMoney(event));
    const status = entity.lateStatuses.find(({ eventId }) => eventId === id);
    if (status) status.row = row;
    return row;
  }
  const { currency, leg } = event.data;
  const { leg_id, amount, completed_at } = leg;
  const back = event.type === 'MoneyReturned' ? event.data : undefined;
  const difference = event.type === 'DifferenceReported' ? event.data : undefined;
  const ofLegId = (back ?? difference)?.of_leg_id;
  Object.assign(row, {
    kind: difference ? differences[difference.of] : back ? waysBack[back.kind] : 'late_money',
    currency,
    amount,
    leg_id,
    provider_leg_id: event.data.provider_leg_id ?? difference?.corrects ?? leg_id,
    of_leg_id: ofLegId ?? null,
    beyond_amount: back?.beyond ?? null,
    completed_at: Date.parse(completed_at),
    counted_amount: difference?.counted_amount ?? null,
    reported_amount: difference?.reported_amount ?? null,
  });
  const lateLeg = entity.late.findLast(isSameMoney({ legId: leg_id, ofLegId }));
  if (lateLeg) lateLeg.row = row;
  return row;
}

const differences = {
  transfer: 'transfer_corrected',
  return: 'return_corrected',
  approval: 'approved_money_missing',
} as const;

const waysBack = { returned: 'payout_returned', charged_back: 'payment_charged_back' } as const;

type Late = ReturnType<typeof decodeLateEvent>;

function withoutMoney({
  type,
  data,
}: Extract<
  Late,
  { type: 'LateStatusReported' | 'LateLegCorrected' | 'PayoutOvercharged' }
>): Partial<Row> {
  if (type === 'LateStatusReported') {
    const { reported_status, operation_status } = data;
    return { reported_status, operation_status };
  }
  if (type === 'PayoutOvercharged') {
    const { currency, agreed_amount, charged_amount } = data;
    return {
      kind: 'overcharge',
      currency,
      counted_amount: agreed_amount,
      reported_amount: charged_amount,
    };
  }
  const { currency, leg_id, of_leg_id = null, counted_amount, reported_amount } = data;
  const legs = { leg_id, provider_leg_id: data.provider_leg_id ?? leg_id, of_leg_id };
  return { kind: 'late_correction', currency, ...legs, counted_amount, reported_amount };
}

/** The row of gateway.approved_money, for money that an operator had approved. */
export function approvedRow({ event, envelope }: LateInput) {
  if (event.type !== 'ApprovedMoneyConfirmed') return undefined;
  const { operation_id, shop_id, provider, attempt, currency, leg } = event.data;
  const { leg_id, amount } = leg;
  const { id: entry_id, position } = envelope.event;
  const times = { completed_at: Date.parse(leg.completed_at), received_at: envelope.atMs };
  return {
    entry_id,
    operation_id,
    shop_id,
    provider,
    attempt,
    currency,
    leg_id,
    provider_leg_id: event.data.provider_leg_id ?? leg_id,
    amount,
    ...times,
    position,
  };
}

/** The row of gateway.suspense after an entry resolved its money. */
export function applyResolution(
  entity: AuditedEntity,
  { entry, envelope }: RecordedEntry,
): Row | undefined {
  if (entry.kind !== 'resolution') return undefined;
  const lateLeg = entity.late.find(isSameMoney(toLateLeg(entry)));
  return lateLeg?.row && resolve(lateLeg.row, entry, envelope);
}

function resolve(
  row: Row,
  { resolution, note }: { resolution: string; note: string },
  envelope: EventEnvelope,
): Row {
  const resolved = { resolved_by: envelope.actor, resolved_at: envelope.atMs };
  return Object.assign(row, { status: 'resolved', resolution, note, ...resolved });
}
