import type { MoneyResolution } from '#shared/domain/ledger/events.ts';
import { defineTable, type RowOf } from '../read-model.ts';

/** The kinds that are money: each is posted, and an operator decides where it goes. */
export const moneyKinds = [
  'late_money',
  'payout_returned',
  'payment_charged_back',
  'transfer_corrected',
  'return_corrected',
  'approved_money_missing',
] as const;

export const isMoney = ({ kind }: Pick<SuspenseRow, 'kind'>): boolean =>
  moneyKinds.some((each) => each === kind);

/** A fact that a provider reported after an operation's end, and an operator's decision on it. */
export type SuspenseRow = RowOf<typeof suspenseTable>;

export const suspenseTable = defineTable<{
  kind: (typeof moneyKinds)[number] | 'late_status' | 'late_correction' | 'overcharge';
  status: 'open' | 'resolved';
  resolution: MoneyResolution | 'acknowledge' | null;
}>()({
  name: 'suspense',
  comment:
    'Late facts: late money, returned money, and contradicting statuses that providers reported after an operation’s terminal status. They changed neither the operation nor the shop’s balance.',
  primaryKey: ['entry_id'],
  columns: {
    entry_id: { type: 'text', comment: 'Id of the event in stream late-<operation_id>' },
    kind: {
      type: 'text not null',
      comment:
        'late_money; payout_returned, payment_charged_back: returned money; transfer_corrected, return_corrected: the provider has another amount than the ledger; approved_money_missing: the provider’s terminal status lacks money that an operator approved; late_status: another terminal status, without money; late_correction: another amount, of which an older version posted nothing; overcharge: a payout cost more than agreed',
    },
    status: {
      type: 'text not null',
      comment: 'open, until an operator has decided; then resolved',
    },
    operation_id: {
      type: 'uuid not null',
      comment:
        'gateway.operations.operation_id (no foreign key: the two tables are filled independently)',
    },
    shop_id: { type: 'text not null', comment: 'gateway.shops.shop_id, as above' },
    merchant_id: { type: 'text not null', comment: 'gateway.merchants.merchant_id, as above' },
    provider: { type: 'text not null', comment: 'The provider that reported it' },
    attempt: { type: 'integer not null', comment: 'The attempt of the operation' },
    currency: { type: 'text', comment: 'Of the amounts; not late_status' },
    amount: {
      type: 'numeric(38,2)',
      comment:
        'Amount of the transfer or return; of a correction and of missing money, the provider’s amount less the ledger’s: signed',
    },
    leg_id: {
      type: 'text',
      comment:
        'The transfer: the provider’s id, or where another account’s money in the operation has that id, as 2:id with the attempt; of a correction and of missing money a name of its own, as id:corrected-1; not late_status and overcharge',
    },
    provider_leg_id: {
      type: 'text',
      comment: 'The provider’s own id of it, as statements have it; not late_status and overcharge',
    },
    of_leg_id: {
      type: 'text',
      comment:
        'Of returned money: the provider’s id of the original transfer, in gateway.legs or late',
    },
    beyond_amount: {
      type: 'numeric(38,2)',
      comment: 'Of returned money: the amount by which it exceeds that transfer',
    },
    completed_at: {
      type: 'timestamptz',
      comment: 'Time of the transfer or return at the provider',
    },
    counted_amount: {
      type: 'numeric(38,2)',
      comment:
        'Of a correction and of missing money: as the ledger had it; overcharge: what was agreed',
    },
    reported_amount: {
      type: 'numeric(38,2)',
      comment:
        'Of a correction and of missing money: as the provider has it now, 0.00: no more; overcharge: what was charged',
    },
    reported_status: {
      type: 'text',
      comment: 'The terminal status that the provider reports; only late_status',
    },
    operation_status: {
      type: 'text',
      comment: 'The operation’s own terminal status; only late_status',
    },
    received_at: { type: 'timestamptz not null', comment: 'Time of the event in the log' },
    resolution: {
      type: 'text',
      comment:
        'credit_shop or charge_shop (now in the balance), return (returned), write_off (kept or paid by the gateway); acknowledge if there is no money. Null while open',
    },
    note: { type: 'text', comment: 'The operator’s note' },
    resolved_by: { type: 'text', comment: 'The operator who decided: operator:<name>' },
    resolved_at: { type: 'timestamptz', comment: 'Time of the decision in the log' },
    revision: {
      type: 'integer not null',
      comment: 'Its revision in the stream late-<operation_id>',
    },
    position: { type: 'bigint not null', comment: 'Its position in the log' },
  },
  indexes: [
    { on: 'received_at, entry_id' },
    { on: 'shop_id, received_at, entry_id' },
    { on: 'operation_id, leg_id' },
    { on: 'provider_leg_id', where: 'completed_at is not null' },
    { on: 'completed_at', where: 'completed_at is not null' },
    { on: 'amount, received_at', where: "kind = 'late_money'" },
    // Few are open at a time.
    { on: 'status, received_at' },
    { on: 'resolved_at, position', where: 'resolved_at is not null' },
    { on: 'shop_id, resolved_at, position', where: 'resolved_at is not null' },
    { on: 'resolved_by, resolved_at, position', where: 'resolved_at is not null' },
  ],
});

/** Money that arrived for what an operator had already approved. */
export type ApprovedMoneyRow = RowOf<typeof approvedMoneyTable>;

export const approvedMoneyTable = defineTable()({
  name: 'approved_money',
  comment:
    'Arrivals of money that an operator had approved before: the operation and the ledger already have it, as a synthetic row of gateway.legs. No decision is needed.',
  primaryKey: ['entry_id'],
  columns: {
    entry_id: { type: 'text', comment: 'Id of the event in stream late-<operation_id>' },
    operation_id: {
      type: 'uuid not null',
      comment: 'gateway.operations.operation_id (no foreign key)',
    },
    shop_id: { type: 'text not null', comment: 'gateway.shops.shop_id, as above' },
    provider: { type: 'text not null', comment: 'The provider that reported it' },
    attempt: { type: 'integer not null', comment: 'The attempt of the operation' },
    currency: { type: 'text not null', comment: 'Of amount' },
    leg_id: { type: 'text not null', comment: 'The transfer, as in gateway.suspense' },
    provider_leg_id: { type: 'text not null', comment: 'The provider’s own id of it' },
    amount: {
      type: 'numeric(38,2) not null',
      comment:
        'The approved part of the transfer; the rest of it is late money in gateway.suspense',
    },
    completed_at: { type: 'timestamptz not null', comment: 'Time of the transfer at the provider' },
    received_at: { type: 'timestamptz not null', comment: 'Time of the event in the log' },
    position: { type: 'bigint not null', comment: 'Its position in the log' },
  },
  indexes: [{ on: 'provider_leg_id' }, { on: 'completed_at' }],
});
