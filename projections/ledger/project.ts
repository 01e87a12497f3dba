import { decodeLedgerEvent } from '#shared/domain/ledger/events.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { moved } from '#shared/domain/ledger/position.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Leaf, MovesByAccount, LoggedEntry } from './posted-entry.ts';
import type { EntryRow, LedgerRow, ReservationRow } from './tables.ts';

const zero = '0.00';
const nothing: MovesByAccount = {
  balance: zero,
  reserved: zero,
  commission: zero,
  provider: zero,
  suspense: zero,
  external: zero,
};

/** @throws for an event that this version does not know, or in the stream of another ledger */
export function readLedgerEntry(event: StoredEvent): LoggedEntry {
  const entry = decodeLedgerEvent(event).data;
  const moves: MovesByAccount = { ...nothing };
  for (const { account } of entry.legs) moves[account] = fromMinor(moved(entry, account));
  return { entry, moves, event };
}

/** The row of an entry. Pure. */
export function journalEntryRow({ entry, moves, event }: LoggedEntry, leaf: Leaf): EntryRow {
  return {
    shop_id: entry.shop_id,
    currency: entry.currency,
    revision: event.revision,
    entry_id: event.id,
    kind: entry.kind,
    operation_id: 'operation_id' in entry ? entry.operation_id : null,
    reservation: 'reservation' in entry ? entry.reservation : null,
    leg_id: 'leg_id' in entry ? entry.leg_id : null,
    of_leg_id: 'of_leg_id' in entry ? (entry.of_leg_id ?? null) : null,
    adjustment_id: 'adjustment_id' in entry ? entry.adjustment_id : null,
    reason: 'reason' in entry ? entry.reason : 'note' in entry ? entry.note : null,
    cause: entry.cause ?? null,
    cause_event_id: event.metadata.causation_id ?? null,
    provider: entry.provider ?? null,
    source_amount: entry.source?.amount ?? null,
    source_currency: entry.source?.currency ?? null,
    fx_rate: entry.source?.fx_rate ?? null,
    actor: event.metadata.actor,
    to_balance: moves.balance,
    to_reserved: moves.reserved,
    to_commission: moves.commission,
    to_provider: moves.provider,
    to_suspense: moves.suspense,
    to_external: moves.external,
    balance_after: entry.balance_after,
    reserved_after: entry.reserved_after,
    posted_at: event.created,
    merchant_operation_id: leaf.merchantOperationId,
    statement_at: leaf.at,
    leaf_hash: leaf.hash.toString('base64url'),
    position: event.position.toString(),
  };
}

/**
 * The ledger's row after one more entry: balance and reserve are those of the entry
 * (`shared/domain/ledger/decide.ts`: the previous ones and its own money), the other accounts are
 * sums. Pure.
 */
export function ledgerAfter(
  before: LedgerRow | undefined,
  { entry, moves, event }: LoggedEntry,
): LedgerRow {
  const total = (account: 'commission' | 'provider' | 'suspense' | 'external') =>
    moves[account] === zero && before
      ? before[account]
      : fromMinor(toMinor(before?.[account] ?? zero) + toMinor(moves[account]));
  return {
    shop_id: entry.shop_id,
    currency: entry.currency,
    balance: entry.balance_after,
    reserved: entry.reserved_after,
    commission: total('commission'),
    provider: total('provider'),
    suspense: total('suspense'),
    external: total('external'),
    first_entry_at: before?.first_entry_at ?? event.created,
    updated_at: event.created,
    revision: event.revision,
    position: event.position.toString(),
  };
}

/** The reservation that an entry opens or closes, after it; undefined for other kinds. Pure. */
export function reservationAfter(
  before: ReservationRow | undefined,
  { entry, moves, event }: LoggedEntry,
): ReservationRow | undefined {
  if (entry.kind !== 'reserve' && entry.kind !== 'capture' && entry.kind !== 'release')
    return undefined;
  const position = event.position.toString();
  const { operation_id, reservation, shop_id, currency } = entry;
  if (entry.kind === 'reserve') {
    return {
      operation_id,
      reservation,
      shop_id,
      currency,
      status: 'open',
      amount: moves.reserved,
      opened_at: event.created,
      opened_revision: event.revision,
      closed_at: null,
      closed_revision: null,
      recorded_amount: null,
      commission_amount: null,
      returned_amount: null,
      position,
    };
  }
  const captured = entry.kind === 'capture';
  const wasOpen = before?.status === 'open';
  return {
    operation_id,
    reservation,
    shop_id,
    currency,
    status: captured ? 'captured' : wasOpen ? 'released' : 'void',
    amount: wasOpen ? before.amount : fromMinor(-toMinor(moves.reserved)),
    opened_at: before?.opened_at ?? null,
    opened_revision: before?.opened_revision ?? null,
    closed_at: event.created,
    closed_revision: event.revision,
    recorded_amount: captured ? moves.provider : null,
    commission_amount: captured ? moves.commission : null,
    returned_amount: moves.balance,
    position,
  };
}
