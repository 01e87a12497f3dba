import type { ReservationRow } from '#projections/ledger/tables.ts';
import type { SuspenseRow } from '#projections/suspense/table.ts';
import type { Row } from './tables.ts';

// Rows that wait for later events of their operation, in its entity. From the spill file they come
// with times as text: `withDates` reads these.

/** A row of gateway.reservations. */
export type StoredReservation = ReservationRow;

/** A row of gateway.suspense, until an operator resolves it, and the audit's own values of it. */
export type LateRow = { projected: SuspenseRow; own: Row };
