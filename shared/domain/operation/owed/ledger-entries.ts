import { currentReservation, isTerminal, type Operation } from '../state.ts';

/**
 * When money is owed to the ledger: once an operation has ended. The terminal event comes first,
 * then the entry (docs/architecture.md).
 */
export type OwedEntry =
  | { kind: 'credit'; currency: string; recorded: string; settlement: string; commission: string }
  | {
      kind: 'capture';
      reservation: number;
      currency: string;
      /** What was reserved; the part that is not charged goes back to the balance. */
      reserved: string;
      recorded: string;
      settlement: string;
      commission: string;
    }
  | {
      kind: 'release';
      reservation: number;
      currency: string;
      /**
       * What the ledger confirmed; undefined if it is not known whether the reserve was made.
       */
      reserved?: string;
    };

/**
 * The entries that an operation's end owes: a payment's credit, or for a payout the capture of the
 * reservation in force or its release. Every other reservation that was ever requested is
 * released, too: a process that died may have made it.
 */
export function entriesOwed(operation: Operation): OwedEntry[] {
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
  return operation.reservations.map((each): OwedEntry => {
    const { reservation, currency, amount: reserved, noted } = each;
    return money && each === inForce
      ? { kind: 'capture', reservation, currency, reserved, recorded, settlement, commission }
      : { kind: 'release', reservation, currency, ...(noted && { reserved }) };
  });
}
