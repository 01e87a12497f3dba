import type { ReservationRow } from '#projections/ledger/tables.ts';
import type { LegRow } from '#projections/operations/legs.ts';
import type { StatusRow } from '#projections/operations/status-history.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import type { UploadedReceiptRow } from '#projections/operations/uploaded-receipts.ts';
import type { SuspenseRow } from '#projections/suspense/table.ts';
import type { Row } from './tables.ts';

// Rows that wait for later events of their operation, in its entity. From the spill file they come
// with times as text: `withDates` reads these.

/** A row of gateway.reservations. */
export type StoredReservation = ReservationRow;

/** A row of gateway.suspense, until an operator resolves it, and the audit's own values of it. */
export type LateRow = { projected: SuspenseRow; own: Row };

/** What became of an uploaded receipt, as in gateway.uploaded_receipts. */
export type ReceiptOutcome = Pick<UploadedReceiptRow, 'status' | 'decision' | 'approved_amount'>;

/** The rows of an operation that its later events read or change. */
export type OperationRows = {
  operation: OperationRow;
  /** Of gateway.status_history: the newest, with the audit's own status. */
  status?: StatusRow;
  legs: readonly LegRow[];
  uploads: readonly UploadedReceiptRow[];
  /** The audit's own outcome of each uploaded receipt, by its id. */
  outcomes: Record<string, ReceiptOutcome>;
  /** The newest decision of an operator on a receipt. */
  reviewDecision?: NonNullable<ReceiptOutcome['decision']>;
};
