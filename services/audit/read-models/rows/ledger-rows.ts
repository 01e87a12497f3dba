import type { LedgerAccount, Entry } from '#shared/domain/ledger/events.ts';
import type { ReservationEntries } from '../../log/entities/entity.ts';
import type { LedgerFacts, EntryMoves } from '../../money/ledger/facts.ts';
import { formatExactMinor } from '../../log/operation/exact-arithmetic.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import type { PostedLeaf } from '../../money/trees/entry-tree.ts';
import type { Row } from './tables.ts';

export type RecordedEntry = {
  entry: Entry;
  moves: EntryMoves;
  envelope: EventEnvelope;
  ledger: LedgerFacts;
} & {
  leaf: PostedLeaf;
};

const of = (moves: EntryMoves, account: LedgerAccount): string =>
  formatExactMinor(moves.get(account) ?? 0n);

/** The row of gateway.journal_entries. */
export function toEntryRow({ entry, moves, envelope, leaf }: RecordedEntry): Row {
  return {
    shop_id: entry.shop_id,
    currency: entry.currency,
    revision: envelope.event.revision,
    entry_id: envelope.event.id,
    kind: entry.kind,
    operation_id: 'operation_id' in entry ? entry.operation_id : null,
    reservation: 'reservation' in entry ? entry.reservation : null,
    leg_id: 'leg_id' in entry ? entry.leg_id : null,
    of_leg_id: 'of_leg_id' in entry ? (entry.of_leg_id ?? null) : null,
    adjustment_id: 'adjustment_id' in entry ? entry.adjustment_id : null,
    reason: 'reason' in entry ? entry.reason : 'note' in entry ? entry.note : null,
    cause: entry.cause ?? null,
    cause_event_id: envelope.causationId ?? null,
    provider: entry.provider ?? null,
    source_amount: entry.source?.amount ?? null,
    source_currency: entry.source?.currency ?? null,
    fx_rate: entry.source?.fx_rate ?? null,
    actor: envelope.actor,
    to_balance: of(moves, 'balance'),
    to_reserved: of(moves, 'reserved'),
    to_commission: of(moves, 'commission'),
    to_provider: of(moves, 'provider'),
    to_suspense: of(moves, 'suspense'),
    to_external: of(moves, 'external'),
    balance_after: entry.balance_after,
    reserved_after: entry.reserved_after,
    posted_at: envelope.atMs,
    merchant_operation_id: leaf.merchantOperationId,
    statement_at: leaf.atMs,
    leaf_hash: leaf.hash,
    position: envelope.event.position,
  };
}

/** The row of gateway.ledgers. */
export function ledgerRow({ ledger }: RecordedEntry): Row {
  const { shopId, currency, balance, reserved, totals } = ledger;
  return {
    shop_id: shopId,
    currency,
    balance: formatExactMinor(balance),
    reserved: formatExactMinor(reserved),
    commission: formatExactMinor(totals.commission),
    provider: formatExactMinor(totals.provider),
    suspense: formatExactMinor(totals.suspense),
    external: formatExactMinor(totals.external),
    first_entry_at: ledger.firstMs,
    updated_at: ledger.newestMs,
    revision: ledger.revision,
    position: ledger.position,
  };
}

/** The row of gateway.reservations after this entry; undefined for entries of other kinds. */
export function reservationRow(
  { entry, moves, envelope }: RecordedEntry,
  opened: ReservationEntries,
): Row | undefined {
  if (entry.kind !== 'reserve' && entry.kind !== 'capture' && entry.kind !== 'release')
    return undefined;
  const { operation_id, reservation, shop_id, currency, kind } = entry;
  const { revision, position } = envelope.event;
  const names = { operation_id, reservation, shop_id, currency, position };
  if (kind === 'reserve')
    return {
      ...names,
      status: 'open',
      amount: of(moves, 'reserved'),
      opened_at: envelope.atMs,
      opened_revision: revision,
      closed_at: null,
      closed_revision: null,
      recorded_amount: null,
      commission_amount: null,
      returned_amount: null,
    };
  const captured = kind === 'capture';
  const wasOpen = opened.openedMs !== undefined;
  return {
    ...names,
    status: captured ? 'captured' : wasOpen ? 'released' : 'void',
    amount: opened.reserved ?? formatExactMinor(-(moves.get('reserved') ?? 0n)),
    opened_at: opened.openedMs ?? null,
    opened_revision: opened.openedRevision ?? null,
    closed_at: envelope.atMs,
    closed_revision: revision,
    recorded_amount: captured ? of(moves, 'provider') : null,
    commission_amount: captured ? of(moves, 'commission') : null,
    returned_amount: of(moves, 'balance'),
  };
}
