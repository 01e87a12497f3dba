import type { OperationEvent } from '#shared/domain/operation/events.ts';
import {
  accepted,
  admitted,
  cancelled,
  leg,
  noMoney,
  route,
  started,
} from '#shared/domain/operation/testing/given.ts';

const idOf = (number: number) => `6f1d5b1e-0000-8000-8000-0000000000${number}`;

/** The operations of `histories`. */
export const ids = {
  pending: idOf(11),
  payout: idOf(12),
  cancelled: idOf(13),
  receipt: idOf(14),
  creating: idOf(15),
  inPart: idOf(21),
  review: idOf(22),
  paid: idOf(23),
  partial: idOf(24),
  declined: idOf(25),
  expired: idOf(31),
  overdue: idOf(32),
  rejected: idOf(33),
  notAccepted: idOf(34),
  byPurpose: idOf(35),
};

const awaitingTransfer = (operationId: string, more: object = {}): OperationEvent[] => [
  admitted({ operationId, merchantOperationId: 'order/1' }),
  started(),
  accepted(1, more),
];
const askedForReceipt = (operationId: string): OperationEvent[] => [
  admitted({ operationId, merchantOperationId: 'order/1' }),
  started(1, route({ requires_receipt: true })),
  accepted(1, { confirmation_required: true }),
];
const uploaded = { receipt_id: 'r', sha256: 'ab'.repeat(32), size_bytes: 9, pdf: true };
const money = (amount: string) => ({
  actual_amount: amount,
  recorded_amount: amount,
  settlement_amount: amount,
  commission_amount: '0.00',
  legs: [leg('leg-1', amount)],
});
/** An operation in each state, by its ID. */
export const histories: Record<string, OperationEvent[]> = {
  [ids.pending]: awaitingTransfer(ids.pending),
  [ids.payout]: [
    admitted({ operationId: ids.payout, type: 'payout' }),
    started(1, route({ type: 'payout' })),
    accepted(),
  ],
  [ids.cancelled]: [...awaitingTransfer(ids.cancelled), cancelled],
  [ids.receipt]: askedForReceipt(ids.receipt),
  [ids.creating]: [admitted({ operationId: ids.creating }), started()],
  [ids.inPart]: [
    ...awaitingTransfer(ids.inPart),
    { type: 'LegReceived', data: { attempt: 1, leg: leg('leg-1', '60.00') } },
  ],
  [ids.review]: [...askedForReceipt(ids.review), { type: 'ReceiptUploaded', data: uploaded }],
  [ids.paid]: [
    ...awaitingTransfer(ids.paid),
    { type: 'OperationCompleted', data: money('100.00') },
  ],
  [ids.partial]: [
    ...awaitingTransfer(ids.partial),
    { type: 'OperationPartiallyCompleted', data: money('60.00') },
  ],
  [ids.declined]: [
    ...awaitingTransfer(ids.declined),
    { type: 'OperationDeclined', data: { ...noMoney, reason: 'provider' } },
  ],
  [ids.byPurpose]: awaitingTransfer(ids.byPurpose, {
    requisites: { number: '2200123456789012', transfer_purpose: 'GWK7QW3M9PXTRA0' },
  }),
  [ids.rejected]: [
    ...askedForReceipt(ids.rejected),
    { type: 'OperationDeclined', data: { ...noMoney, reason: 'review' } },
  ],
  [ids.notAccepted]: [
    admitted({ operationId: ids.notAccepted }),
    { type: 'OperationDeclined', data: { ...noMoney, reason: 'all_refused' } },
  ],
  [ids.expired]: [...awaitingTransfer(ids.expired), { type: 'OperationExpired', data: noMoney }],
  [ids.overdue]: awaitingTransfer(ids.overdue, { expires_at: '2026-01-31T11:00:00.000Z' }),
};
