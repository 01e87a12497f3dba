import type { Evidence } from '#shared/domain/evidence/events.ts';
import { defineTable, type RowOf } from '../read-model.ts';

/** The evidence of the money of one operation. */
export type EvidenceRow = RowOf<typeof evidenceTable>;

/** One transfer that a provider shows. */
export type ReceiptRow = RowOf<typeof receiptsTable>;

export const evidenceTable = defineTable<{ status: Evidence['status'] }>()({
  name: 'evidence',
  comment:
    'One row per operation with money and recorded receipts: its own legs, if its provider reported them as complete evidence, otherwise the evidence fetched from the provider at the first read. They never change.',
  primaryKey: ['operation_id'],
  columns: {
    operation_id: {
      type: 'uuid not null',
      comment:
        'gateway.operations.operation_id (no foreign key: its events are in streams of two kinds)',
    },
    shop_id: { type: 'text not null', comment: 'gateway.shops.shop_id, as above' },
    status: {
      type: 'text not null',
      comment: 'complete, or partial if a provider did not return each of its transfers',
    },
    receipts_count: { type: 'integer not null', comment: 'Rows in gateway.receipts' },
    materialised_at: { type: 'timestamptz not null', comment: 'Time at which they were recorded' },
    revision: {
      type: 'integer not null',
      comment:
        'Of the event that recorded them: the terminal event in operation-<operation_id>, or the one event of receipts-<operation_id>',
    },
    position: { type: 'bigint not null', comment: 'Position in the log of that event' },
  },
  indexes: [{ on: 'shop_id, materialised_at' }],
});

export const receiptsTable = defineTable()({
  name: 'receipts',
  comment:
    'One row per transfer of money as shown to merchants after the terminal status: the provider’s evidence. Payers’ uploads are in gateway.uploaded_receipts.',
  primaryKey: ['operation_id', 'receipt_id'],
  columns: {
    operation_id: {
      type: 'uuid not null',
      references: 'evidence',
      comment: 'The operation of the money',
    },
    receipt_id: { type: 'uuid not null', comment: 'Its id for merchants' },
    number: {
      type: 'integer not null',
      comment: "1 for the operation's first; its own legs by time",
    },
    leg_id: {
      type: 'text not null',
      comment: "The provider's id of the transfer: gateway.legs.leg_id",
    },
    attempt: { type: 'integer not null', comment: 'The attempt of the transfer' },
    provider: { type: 'text not null', comment: 'The provider that returned it' },
    amount: { type: 'numeric(38,2) not null', comment: "In the operation's currency" },
    completed_at: { type: 'timestamptz not null', comment: 'Time of the transfer at the provider' },
    file: { type: 'boolean not null', comment: 'The provider has a file as evidence' },
    synthetic: {
      type: 'boolean not null',
      comment: 'The amount is correct, but there is no evidence of a transfer from the provider',
    },
  },
  indexes: [{ on: 'completed_at', using: 'brin' }],
});
