import type { LedgerCommand } from '../../ledger/commands.ts';
import { currentReservation, isTerminal, type Operation } from '../state.ts';

type Due<Kind> = Omit<Extract<LedgerCommand, { kind: Kind }>, 'operationId' | 'why'> & {
  currency: string;
};

/**
 * A command to the ledger of a currency, due once the operation is terminal. The terminal event is
 * appended first, then the entry (docs/architecture.md).
 */
export type DueEntry = Due<'credit'> | Due<'capture'> | Due<'release'>;

/**
 * The entries due for a terminal operation: a payment's credit, or for a payout the capture of the
 * reservation in force or its release. Every other requested reservation is released, too: a
 * process that died may have made it.
 */
export function dueEntries(operation: Operation): DueEntry[] {
  const { status, settled, request } = operation;
  if (!isTerminal(status)) return [];
  const { recorded_amount: recorded, commission_amount: commission } = settled ?? {};
  const money = recorded !== undefined && commission !== undefined;
  if (operation.type === 'payment') {
    if (!money) return [];
    const attempt = operation.attempts.find((each) => each.attempt === operation.accepted?.attempt);
    const currency = attempt?.route.conversion?.settlement_currency ?? request.currency;
    return [{ kind: 'credit', currency, recorded, commission }];
  }
  const inForce = currentReservation(operation);
  return operation.reservations.map((each): DueEntry => {
    const { reservation, currency, amount: reserved, noted } = each;
    return money && each === inForce
      ? { kind: 'capture', reservation, currency, reserved, recorded, commission }
      : { kind: 'release', reservation, currency, ...(noted && { reserved }) };
  });
}
