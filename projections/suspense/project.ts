import { decodeLateEvent } from '#shared/domain/late/events.ts';
import { decodeLedgerEvent, ledgerStreamPrefix } from '#shared/domain/ledger/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { ApprovedMoneyRow, SuspenseRow } from './table.ts';

const open = { resolution: null, note: null, resolved_by: null, resolved_at: null } as const;

/** An operator's decision on a late fact, and which fact. */
export type SuspenseResolution = {
  of: { entryId: string } | { operationId: string; legId: string; ofLegId: string | null };
  resolution: NonNullable<SuspenseRow['resolution']>;
  note: string;
};

/** Money that was approved before it arrived is already in the ledger: it needs no decision. */
export const waitsForNobody = ({ type }: StoredEvent): boolean => type === 'ApprovedMoneyConfirmed';

/** The row of money that was approved before it came; undefined for other events. Pure. */
export function projectApproved(stored: StoredEvent): ApprovedMoneyRow | undefined {
  if (!waitsForNobody(stored)) return undefined;
  const { type, data } = decodeLateEvent(stored);
  if (type !== 'ApprovedMoneyConfirmed') return undefined;
  const { operation_id, shop_id, provider, attempt, currency, leg } = data;
  return {
    entry_id: stored.id,
    operation_id,
    shop_id,
    provider,
    attempt,
    currency,
    leg_id: leg.leg_id,
    provider_leg_id: data.provider_leg_id ?? leg.leg_id,
    amount: leg.amount,
    completed_at: new Date(leg.completed_at),
    received_at: stored.created,
    position: stored.position.toString(),
  };
}

/**
 * The decision in an event; undefined for other events.
 * @throws for an event that this version does not know
 */
export function readResolving(stored: StoredEvent): SuspenseResolution | undefined {
  if (stored.stream.startsWith(ledgerStreamPrefix)) {
    // Nearly all entries are of other kinds, which the ledger's read model checks.
    if ((stored.data as { kind?: unknown } | null)?.kind !== 'resolution') return undefined;
    const entry = decodeLedgerEvent(stored).data;
    if (entry.kind !== 'resolution') return undefined;
    const {
      operation_id: operationId,
      leg_id: legId,
      of_leg_id: ofLegId = null,
      resolution,
      note,
    } = entry;
    return { of: { operationId, legId, ofLegId }, resolution, note };
  }
  const { type, data } = decodeLateEvent(stored);
  if (type !== 'LateStatusAcknowledged') return undefined;
  return { of: { entryId: data.entry_id }, resolution: 'acknowledge', note: data.note };
}

export function resolvedRow(
  row: SuspenseRow,
  { resolution, note }: SuspenseResolution,
  stored: StoredEvent,
): SuspenseRow {
  return {
    ...row,
    status: 'resolved',
    resolution,
    note,
    resolved_by: stored.metadata.actor,
    resolved_at: stored.created,
  };
}

/** What only some kinds of late facts have. */
const noReport = {
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
} as const;

const differenceKinds = {
  transfer: 'transfer_corrected',
  return: 'return_corrected',
  approval: 'approved_money_missing',
} as const;

/** What the row of a difference has. */
function differenceIn(
  data: Extract<ReturnType<typeof decodeLateEvent>, { type: 'DifferenceReported' }>['data'],
) {
  const { currency, of, corrects, leg, of_leg_id = null, counted_amount, reported_amount } = data;
  return {
    kind: differenceKinds[of],
    currency,
    amount: leg.amount,
    leg_id: leg.leg_id,
    provider_leg_id: data.provider_leg_id ?? corrects,
    of_leg_id,
    completed_at: new Date(leg.completed_at),
    counted_amount,
    reported_amount,
  };
}

/**
 * The row of a late fact. Pure.
 * @throws for an event that this version does not know, or that is not a late fact
 */
export function projectLateFact(stored: StoredEvent): SuspenseRow {
  const { type, data } = decodeLateEvent(stored);
  if (type === 'LateStatusAcknowledged' || type === 'ApprovedMoneyConfirmed')
    throw new Error(`${type} is no suspense entry`);
  const { operation_id, shop_id, merchant_id, provider, attempt } = data;
  const common = {
    entry_id: stored.id,
    status: 'open',
    ...open,
    operation_id,
    shop_id,
    merchant_id,
    provider,
    attempt,
    ...noReport,
    received_at: stored.created,
    revision: stored.revision,
    position: stored.position.toString(),
  } as const;
  if (type === 'LateMoneyReceived') {
    const { currency, leg } = data;
    return {
      ...common,
      kind: 'late_money',
      currency,
      amount: leg.amount,
      leg_id: leg.leg_id,
      provider_leg_id: data.provider_leg_id ?? leg.leg_id,
      completed_at: new Date(leg.completed_at),
    };
  }
  if (type === 'MoneyReturned') {
    const { currency, kind, of_leg_id, leg, beyond: beyond_amount = null } = data;
    return {
      ...common,
      kind: kind === 'returned' ? 'payout_returned' : 'payment_charged_back',
      currency,
      amount: leg.amount,
      leg_id: leg.leg_id,
      provider_leg_id: data.provider_leg_id ?? leg.leg_id,
      of_leg_id,
      beyond_amount,
      completed_at: new Date(leg.completed_at),
    };
  }
  if (type === 'DifferenceReported') return { ...common, ...differenceIn(data) };
  if (type === 'LateLegCorrected') {
    const { currency, leg_id, of_leg_id = null, counted_amount, reported_amount } = data;
    const amounts = { currency, counted_amount, reported_amount };
    const legs = { leg_id, provider_leg_id: data.provider_leg_id ?? leg_id, of_leg_id };
    return { ...common, kind: 'late_correction', ...legs, ...amounts };
  }
  if (type === 'PayoutOvercharged') {
    const { currency, agreed_amount: counted_amount, charged_amount: reported_amount } = data;
    return { ...common, kind: 'overcharge', currency, counted_amount, reported_amount };
  }
  return {
    ...common,
    kind: 'late_status',
    reported_status: data.reported_status,
    operation_status: data.operation_status,
  };
}
