import type { Evidence } from '#shared/domain/receipts/events.ts';
import type { Table } from '../read-model.ts';

/** What is known about the money of one operation. */
export type EvidenceRow = {
  operation_id: string;
  shop_id: string;
  status: Evidence['status'];
  receipts_count: number;
  materialised_at: Date;
  revision: number;
  position: string;
};

/** One transfer that a provider shows. */
export type ReceiptRow = {
  operation_id: string;
  receipt_id: string;
  number: number;
  leg_id: string;
  attempt: number;
  provider: string;
  amount: string;
  completed_at: Date;
  file: boolean;
  synthetic: boolean;
};

export const evidenceTable: Table<EvidenceRow> = {
  name: 'evidence',
  comment:
    'One row per operation that ended with money and whose receipts are settled: its own legs, where its provider reported them as all that it can show, else what the provider was asked for when somebody first wanted to know. They never change.',
  primaryKey: ['operation_id'],
  columns: {
    operation_id: {
      type: 'uuid not null',
      comment:
        'gateway.operations.operation_id (no foreign key: it is told of in streams of two kinds)',
    },
    shop_id: { type: 'text not null', comment: 'gateway.shops.shop_id, as above' },
    status: {
      type: 'text not null',
      comment: 'complete, or partial where a provider could not show each of its transfers',
    },
    receipts_count: { type: 'integer not null', comment: 'Rows in gateway.receipts' },
    materialised_at: { type: 'timestamptz not null', comment: 'When they were settled' },
    revision: {
      type: 'integer not null',
      comment:
        'Of the event that settled them: the end in operation-<operation_id>, or the one event of receipts-<operation_id>',
    },
    position: { type: 'bigint not null', comment: 'The place in the log of that event' },
  },
  indexes: [{ on: 'shop_id, materialised_at' }],
};

export const receiptsTable: Table<ReceiptRow> = {
  name: 'receipts',
  comment:
    'One row per transfer of money as a merchant is shown it once the operation has ended: the evidence that its provider gives. What payers upload is in gateway.uploaded_receipts.',
  primaryKey: ['operation_id', 'receipt_id'],
  columns: {
    operation_id: { type: 'uuid not null', references: 'evidence', comment: 'Whose money it is' },
    receipt_id: { type: 'uuid not null', comment: 'What a merchant knows it by' },
    number: {
      type: 'integer not null',
      comment: "1 for the operation's first; its own legs by time",
    },
    leg_id: {
      type: 'text not null',
      comment: "The provider's id of the transfer: gateway.legs.leg_id",
    },
    attempt: { type: 'integer not null', comment: 'The attempt that it came for' },
    provider: { type: 'text not null', comment: 'Who shows it' },
    amount: { type: 'numeric(38,2) not null', comment: "In the operation's currency" },
    completed_at: { type: 'timestamptz not null', comment: 'When the provider had it' },
    file: { type: 'boolean not null', comment: 'The provider has a file that shows it' },
    synthetic: {
      type: 'boolean not null',
      comment:
        'The amount is right, and no transfer is known: nobody but the gateway speaks for it',
    },
  },
  indexes: [{ on: 'completed_at', using: 'brin' }],
};
