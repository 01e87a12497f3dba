import type { ManualCheckReason, SealedFields } from '#shared/domain/operation/events.ts';
import type { DeclineReason } from '#shared/domain/operation/ends/decline-reason.ts';
import { operationColumns } from '#shared/domain/operation/fields/columns.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { Route } from '#shared/domain/routing.ts';
import { defineTable, type RowOf } from '../read-model.ts';

/** One attempt at a provider, and its outcome. Times as in the log, ISO 8601. */
export type AttemptRow = Pick<
  Route,
  'provider' | 'account' | 'priority' | 'commission' | 'conversion' | 'max_amount'
> & {
  attempt: number;
  outcome: 'started' | 'accepted' | 'refused' | 'unresolved' | 'withdrawn';
  started_at: string;
  /** When it accepted, refused, or timed out. */
  answered_at?: string;
  provider_reference?: string;
  /** Why the provider refused, or why there is no answer. */
  reason?: string;
};

type SealedColumns = {
  [Name in keyof SealedFields]-?: Exclude<SealedFields[Name], undefined> | null;
};

/** One operation. Money and rates are decimal text, as in the log. */
export type OperationRow = RowOf<typeof operationsTable>;

export const operationsTable = defineTable<
  SealedColumns & {
    type: 'payment' | 'payout';
    status: Operation['status'];
    attempts: AttemptRow[];
    manual_check_reason: ManualCheckReason | null;
    review_decision: 'approve' | 'decline' | 'ask_again' | null;
    decline_reason: DeclineReason | null;
  }
>()({
  name: 'operations',
  comment:
    'One row per payment and payout that was admitted, including those still being created. No card or phone numbers.',
  primaryKey: ['operation_id'],
  columns: {
    ...operationColumns,
    shop_id: {
      type: 'text not null',
      comment: 'gateway.shops.shop_id (no foreign key: the two tables are filled independently)',
    },
    merchant_id: { type: 'text not null', comment: 'gateway.merchants.merchant_id, as above' },
    status_since: {
      type: 'timestamptz not null',
      comment: 'When it entered that status; those before it are in gateway.status_history',
    },
    statuses_count: {
      type: 'integer not null',
      comment: 'Statuses entered so far, creating included',
    },
    overpaid_above: {
      type: 'numeric(38,2)',
      comment:
        'A payment with a larger actual_amount needs attention: twice expected_amount, or the max_amount of its route if that is less; null for a payout',
    },
    legs_count: {
      type: 'integer not null',
      comment: 'Number of transfers in actual_amount; they are in gateway.legs',
    },
    reservation: {
      type: 'integer',
      comment:
        'Number of the payout’s reservation in gateway.reservations. Null for a payment, and before a payout’s funds were requested',
    },
    reserved_currency: { type: 'text', comment: 'Currency of reserved_amount' },
    reserved_amount: {
      type: 'numeric(38,2)',
      comment: 'Amount requested for the reservation of the payout: amount and commission',
    },
    reserved_at: {
      type: 'timestamptz',
      comment: 'When the ledger held it; null where it did not, or its outcome is not known yet',
    },
    provider: { type: 'text', comment: 'The provider that accepted, otherwise the last one tried' },
    provider_reference: {
      type: 'text',
      comment: 'The accepting provider’s reference; null before acceptance',
    },
    route_priority: { type: 'integer', comment: 'Priority of the route to that provider' },
    attempts_count: { type: 'integer not null', comment: 'Providers tried' },
    attempts: {
      type: 'jsonb not null',
      comment:
        'Each of them, in order: [{attempt, provider, account, priority, outcome, started_at, answered_at, provider_reference, reason, commission, conversion, max_amount}]; account is left out where it is default; outcome is started, accepted, refused, unresolved or withdrawn. As rows: gateway.attempts',
    },
    confirmation_required: { type: 'boolean not null', comment: 'The payer must upload a receipt' },
    receipts_count: {
      type: 'integer not null',
      comment: 'Receipts that the payer uploaded; they are in gateway.uploaded_receipts',
    },
    receipt_uploaded_at: { type: 'timestamptz', comment: 'Time of the newest of them' },
    review_decision: {
      type: 'text',
      comment: 'approve, decline or ask_again: what an operator decided last; null where none did',
    },
    reviewed_by: { type: 'text', comment: 'That operator, as operator:<name>' },
    reviewed_at: { type: 'timestamptz', comment: 'Time of the decision' },
    cancel_reason: { type: 'text', comment: 'From the merchant’s request; only when cancelled' },
    accept_until: {
      type: 'timestamptz not null',
      comment: 'A create without an outcome by then is rejected',
    },
    accepted_at: { type: 'timestamptz', comment: 'When a provider accepted' },
    ended_at: { type: 'timestamptz', comment: 'Time of its terminal status' },
    updated_at: { type: 'timestamptz not null', comment: 'Time of the newest event in this row' },
    revision: {
      type: 'integer not null',
      comment: "The newest event of the operation's stream in this row",
    },
    position: { type: 'bigint not null', comment: 'Position of that event in the log' },
  },
  indexes: [
    { on: 'merchant_operation_id, shop_id', unique: true },
    { on: 'lower(merchant_operation_id), shop_id' },
    { on: 'created_at, operation_id' },
    { on: 'shop_id, created_at, operation_id' },
    { on: 'shop_id, type, status, created_at, operation_id' },
    { on: 'shop_id, client_id, created_at, operation_id' },
    { on: 'shop_id, client_id, type, status, created_at, operation_id' },
    { on: 'status, created_at, operation_id' },
    { on: 'shop_id, expected_amount, created_at, operation_id' },
    // Payers name the amount that they paid, which may not be the requested one.
    {
      on: 'shop_id, actual_amount, created_at, operation_id',
      where: 'actual_amount <> expected_amount and actual_amount <> 0',
    },
    { on: 'created_at, operation_id', where: 'actual_amount > overpaid_above' },
    { on: 'provider_reference', where: 'provider_reference is not null' },
    { on: 'ended_at', using: 'brin' },
  ],
});
