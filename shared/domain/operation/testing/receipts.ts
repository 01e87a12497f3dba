import type { OperationEvent } from '../events.ts';
import { accepted, admitted, route, started } from './given.ts';

/** Histories of a payment whose receipt is expected, uploaded or checked. */

export const awaiting = [
  admitted(),
  started(1, route({ requires_receipt: true })),
  accepted(1, { confirmation_required: true, expires_at: '2026-01-31T12:30:00.000Z' }),
] as const;
export const receipt = { receiptId: 'receipt-1', sha256: 'hash-1', sizeBytes: 10, pdf: true };
export const uploaded = {
  type: 'ReceiptUploaded',
  data: { receipt_id: 'receipt-1', sha256: 'hash-1', size_bytes: 10, pdf: true },
} satisfies OperationEvent;
export const notAPdf: OperationEvent = { ...uploaded, data: { ...uploaded.data, pdf: false } };
export const submitted = {
  type: 'ReceiptSubmitted',
  data: { receipt_id: 'receipt-1', attempt: 1, taken: true },
} satisfies OperationEvent;
export const checked = (reason?: 'potential_fake' | 'not_terminal'): OperationEvent => ({
  type: 'ManualCheckStarted',
  data: { receipt_id: 'receipt-1', ...(reason && { reason }) },
});
