import { currentReservation, isTerminal, type Operation } from '../state.ts';

/**
 * Entries are due once an operation is terminal. The terminal event is appended first, then the
 * entry (docs/architecture.md).
 */
export type DueEntry =
  | { kind: 'credit'; currency: string; recorded: string; settlement: string; commission: string }
  | {
      kind: 'capture';
      reservation: number;
      currency: string;
      /** The reserved amount; the part not charged is returned to the balance. */
      reserved: string;
      recorded: string;
      settlement: string;
      commission: string;
    }
  | {
      kind: 'release';
      reservation: number;
      currency: string;
      /** The amount that the ledger confirmed; undefined if it is unknown whether it reserved. */
      reserved?: string;
    };

/**
 * The entries due for a terminal operation: a payment's credit, or for a payout the capture of the
 * reservation in force or its release. Every other requested reservation is released, too: a
 * process that died may have made it.
 */
export function dueEntries(operation: Operation): DueEntry[] {
  const { status, settled, request } = operation;
  if (!isTerminal(status)) return [];
  const recorded = settled?.recorded_amount;
  const { settlement_amount: settlement, commission_amount: commission } = settled ?? {};
  const money = recorded !== undefined && settlement !== undefined && commission !== undefined;
  if (operation.type === 'payment') {
    if (!money) return [];
    const attempt = operation.attempts.find((each) => each.attempt === operation.accepted?.attempt);
    const currency = attempt?.route.conversion?.settlement_currency ?? request.currency;
    return [{ kind: 'credit', currency, recorded, settlement, commission }];
  }
  const inForce = currentReservation(operation);
  return operation.reservations.map((each): DueEntry => {
    const { reservation, currency, amount: reserved, noted } = each;
    return money && each === inForce
      ? { kind: 'capture', reservation, currency, reserved, recorded, settlement, commission }
      : { kind: 'release', reservation, currency, ...(noted && { reserved }) };
  });
}
