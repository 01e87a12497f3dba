import { fromMinor } from '#shared/domain/ledger/minor.ts';
import type { StatementLine } from '../connector.ts';
import { readRecord } from './client.ts';
import { attemptIn } from './reference.ts';
import { bankClosingSchema, bankMovementSchema, bankOpeningSchema, type BankRecord } from './wire.ts';

/** The movements of a day's statement, or why the text can't be relied on. */
export function readStatement(
  records: readonly BankRecord[],
  asked: { account: string; day: string },
): StatementLine[] | string {
  const opening = readRecord(bankOpeningSchema, records[0]);
  const closing = readRecord(bankClosingSchema, records.at(-1));
  if (opening?.account !== asked.account || opening.day !== asked.day) return 'not the statement of that day';
  const movements = records.slice(1, -1).map((record) => readRecord(bankMovementSchema, record));
  if (closing?.lines !== movements.length) return 'a statement that is cut off';
  let balance = BigInt(opening.balance);
  const lines: StatementLine[] = [];
  for (const movement of movements) {
    if (!movement) return 'a line that is no movement';
    const amount = BigInt(movement.amount);
    balance += movement.direction === 'in' ? amount : -amount;
    const of = movement.direction === 'out' ? attemptIn(movement.purpose) : undefined;
    lines.push({
      legId: movement.transfer,
      ...(of && { of }),
      amount: fromMinor(amount),
      currency: opening.currency,
      completedAt: new Date(movement.time).toISOString(),
    });
  }
  return String(balance) === closing.balance ? lines : 'a closing balance that does not follow';
}
