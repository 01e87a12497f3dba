import { currentReservation, type Attempt, type Operation, type Reservation } from '../state.ts';

/** The next work of the process that creates an operation. */
export type CreateStep =
  | { step: 'quote'; attempt: Attempt }
  /** Reserve in the ledger, and release what was reserved for earlier attempts. */
  | { step: 'reserve'; attempt: Attempt; reservation: Reservation; release: readonly Reservation[] }
  | { step: 'submit'; attempt: Attempt };

/** The next step of a create; undefined once it has an outcome. */
export function nextCreateStep(operation: Operation): CreateStep | undefined {
  const attempt = operation.attempts.at(-1);
  if (operation.status !== 'creating' || attempt?.outcome !== 'started') return undefined;
  if (attempt.dispatched) return { step: 'submit', attempt };
  const reservation = currentReservation(operation);
  if (reservation?.reservation !== attempt.attempt) return { step: 'quote', attempt };
  return { step: 'reserve', attempt, reservation, release: operation.reservations.slice(0, -1) };
}
