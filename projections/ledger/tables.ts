import type { EntryKind } from '#shared/domain/ledger/events.ts';
import { defineTable, type RowOf } from '../read-model.ts';

/** Amounts are decimal text, as in the log. */
export type EntryRow = RowOf<typeof journalEntriesTable>;

export type LedgerRow = RowOf<typeof ledgersTable>;

export type ReservationRow = RowOf<typeof reservationsTable>;

const independent = '(no foreign key: the two tables are filled independently)';
const signConvention = 'positive is what the gateway owes, negative what it is owed';

export const journalEntriesTable = defineTable<{ kind: EntryKind }>()({
  name: 'journal_entries',
  comment: `Double entry: one row per entry in a shop's ledger in one currency, with the amount that it moves on each account and the position after it. The six to_… columns add up to zero; ${signConvention}.`,
  primaryKey: ['shop_id', 'currency', 'revision'],
  columns: {
    shop_id: { type: 'text not null', comment: `gateway.shops.shop_id ${independent}` },
    currency: { type: 'text not null', comment: 'Of all amounts in the row' },
    revision: {
      type: 'integer not null',
      comment: 'Its number in the ledger, from 0 without gaps: stream ledger-<shop_id>-<currency>',
    },
    entry_id: { type: 'text not null', comment: 'Id of the event in the log' },
    kind: {
      type: 'text not null',
      comment:
        'reserve (a payout’s funds are reserved), capture (they were paid out), release (they were not), credit (a payment was received), adjustment (by an operator), suspense (late or returned money), resolution (an operator’s decision on that)',
    },
    operation_id: {
      type: 'uuid',
      comment: `gateway.operations.operation_id ${independent}; null for an adjustment`,
    },
    reservation: {
      type: 'integer',
      comment:
        'With operation_id, the reservation that a reserve, capture or release is about: gateway.reservations',
    },
    leg_id: {
      type: 'text',
      comment: 'The late transfer, as in gateway.suspense; only of a suspense and its resolution',
    },
    of_leg_id: {
      type: 'text',
      comment: 'Of returned money: the original transfer. Null for a late transfer',
    },
    adjustment_id: { type: 'text', comment: "The operator's own id; only of an adjustment" },
    reason: {
      type: 'text',
      comment: 'As the operator gave it; only of an adjustment, or noted on resolving late money',
    },
    cause: {
      type: 'text',
      comment:
        'The type of the event that requires it, such as OperationCompleted or LateMoneyReceived; null in old entries, which name only its id',
    },
    cause_event_id: {
      type: 'text',
      comment: "That event's id; null if the entry does not name one",
    },
    provider: {
      type: 'text',
      comment: "The provider of the operation's money; null for an adjustment, and in old entries",
    },
    source_amount: {
      type: 'numeric(38,2)',
      comment:
        "On a converting route, the operation's own amount: the money that moved, of a reserve or release the requested amount; null in old entries",
    },
    source_currency: { type: 'text', comment: 'Of source_amount' },
    fx_rate: { type: 'numeric', comment: 'Rate from source_amount to currency' },
    actor: {
      type: 'text not null',
      comment:
        'Who caused it: operator:<name>, merchant:<shop_id>, provider:<name> or service:<name>',
    },
    to_balance: {
      type: 'numeric(38,2) not null',
      comment: "Amount added to the shop's balance",
    },
    to_reserved: {
      type: 'numeric(38,2) not null',
      comment: 'Amount added to the funds reserved for payouts',
    },
    to_commission: {
      type: 'numeric(38,2) not null',
      comment: 'Amount added to the commission of the service',
    },
    to_provider: {
      type: 'numeric(38,2) not null',
      comment: 'Amount added to the account of providers: negative for incoming money',
    },
    to_suspense: {
      type: 'numeric(38,2) not null',
      comment: 'Amount added to suspense',
    },
    to_external: {
      type: 'numeric(38,2) not null',
      comment:
        'Amount added to the external account: negative for a top-up, positive for a withdrawal',
    },
    balance_after: {
      type: 'numeric(38,2) not null',
      comment: "The shop's balance after the entry",
    },
    reserved_after: {
      type: 'numeric(38,2) not null',
      comment: 'The reserved amount after the entry',
    },
    posted_at: { type: 'timestamptz not null', comment: 'Time of the event in the log' },
    merchant_operation_id: {
      type: 'text',
      comment: "The merchant's own id of the operation; null for an adjustment",
    },
    statement_at: {
      type: 'timestamptz not null',
      comment:
        'Its time in statements: posted_at, but never before that of an earlier entry of the ledger',
    },
    leaf_hash: {
      type: 'text not null',
      comment:
        "Its hash (RFC 9162, SHA-256) in base64url: it is the leaf number `revision` of its ledger's tree",
    },
    position: { type: 'bigint not null', comment: 'Its position in the log' },
  },
  indexes: [{ on: 'operation_id' }, { on: 'posted_at', using: 'brin' }],
});

export const ledgersTable = defineTable()({
  name: 'ledgers',
  comment: `One row per shop and currency with an entry: the sum of its entries on each account; ${signConvention}. The six accounts add up to zero. For people gateway.balances is easier to read.`,
  primaryKey: ['shop_id', 'currency'],
  columns: {
    shop_id: { type: 'text not null', comment: `gateway.shops.shop_id ${independent}` },
    currency: { type: 'text not null', comment: 'Of all amounts in the row' },
    balance: {
      type: 'numeric(38,2) not null',
      comment:
        'balance_after of the newest entry: the shop’s available funds, negative if it has debt',
    },
    reserved: {
      type: 'numeric(38,2) not null',
      comment: 'reserved_after of the newest entry: reserved for payouts in progress',
    },
    commission: {
      type: 'numeric(38,2) not null',
      comment: 'Commission so far, and late money that the gateway kept or paid',
    },
    provider: {
      type: 'numeric(38,2) not null',
      comment: 'Outgoing less incoming money at providers: negative if more was incoming',
    },
    suspense: {
      type: 'numeric(38,2) not null',
      comment: 'Late and returned money: incoming less outgoing',
    },
    external: { type: 'numeric(38,2) not null', comment: 'Withdrawals less top-ups' },
    first_entry_at: { type: 'timestamptz not null', comment: 'Time of the first entry' },
    updated_at: { type: 'timestamptz not null', comment: 'Time of the newest entry in this row' },
    revision: {
      type: 'integer not null',
      comment: 'That entry’s number: there are revision + 1 entries',
    },
    position: { type: 'bigint not null', comment: 'Position of that entry in the log' },
  },
  indexes: [],
});

export const reservationsTable = defineTable<{
  status: 'open' | 'captured' | 'released' | 'void';
}>()({
  name: 'reservations',
  comment: "One row per reservation of a payout's funds in the ledger, with its outcome.",
  primaryKey: ['operation_id', 'reservation'],
  columns: {
    operation_id: {
      type: 'uuid not null',
      comment: `gateway.operations.operation_id ${independent}`,
    },
    reservation: {
      type: 'integer not null',
      comment:
        "The number of the attempt that it was first made for: gateway.operations.reservation is the payout's last",
    },
    shop_id: { type: 'text not null', comment: 'The shop whose funds are reserved' },
    currency: { type: 'text not null', comment: 'Of all amounts in the row' },
    status: {
      type: 'text not null',
      comment:
        'open, captured (the money was sent), released (it was not), void (closed before it was made, so that it can’t be made)',
    },
    amount: { type: 'numeric(38,2) not null', comment: 'The reserved amount; 0 if void' },
    opened_at: { type: 'timestamptz', comment: 'Time of the reservation; null if void' },
    opened_revision: {
      type: 'integer',
      comment: 'Its entry: gateway.journal_entries.revision',
    },
    closed_at: {
      type: 'timestamptz',
      comment: 'Time of the capture or release; null while open',
    },
    closed_revision: { type: 'integer', comment: 'Its entry' },
    recorded_amount: {
      type: 'numeric(38,2)',
      comment: 'Amount sent to the recipient; only when captured',
    },
    commission_amount: { type: 'numeric(38,2)', comment: 'Commission charged; only when captured' },
    returned_amount: {
      type: 'numeric(38,2)',
      comment:
        'Amount returned to the balance: amount - recorded_amount - commission_amount; null while open',
    },
    position: {
      type: 'bigint not null',
      comment: 'Position in the log of the newest entry in this row',
    },
  },
  // Few are open at a time, and queries read those.
  indexes: [{ on: 'opened_at', where: "status = 'open'" }],
});
