import { fromMinor } from '#shared/domain/ledger/minor.ts';
import type { z } from 'zod';
import type { StatementLine, StatementPage } from '#shared/application/providers/connector.ts';
import { parseSingleRecord } from './client.ts';
import { attemptIn } from './reference.ts';
import {
  bankClosingSchema,
  bankMovementSchema,
  bankOpeningSchema,
  type BankRecord,
} from './wire.ts';

/**
 * A page of a day's statement, or why the text can't be relied on. Whether it adds up is checked
 * elsewhere.
 */
export function readBankStatement(
  records: readonly BankRecord[],
  query: { account: string; day: string; page: number },
): StatementPage | string {
  const opening = parseSingleRecord(bankOpeningSchema, records[0]);
  const closing = parseSingleRecord(bankClosingSchema, records.at(-1));
  const { account, day, page } = query;
  if (opening?.account !== account || opening.day !== day || opening.page !== page)
    return 'not the statement of that day';
  const movements = records.slice(1, -1);
  if (closing?.lines !== movements.length) return 'a statement that is cut off';
  const lines: StatementLine[] = [];
  for (const record of movements) {
    const movement = parseSingleRecord(bankMovementSchema, record);
    if (!movement) return 'a line that is no movement';
    lines.push(toLine(movement));
  }
  return {
    outcome: 'known',
    lines,
    ...(closing.more === 'yes' && { next: String(page + 1) }),
    final: opening.final === 'yes',
    openingBalance: fromMinor(BigInt(opening.balance)),
    closingBalance: fromMinor(BigInt(closing.balance)),
  };
}

/**
 * A payout's purpose names its attempt; the purposes that payers write are read when payments are
 * polled.
 */
function toLine(movement: z.infer<typeof bankMovementSchema>): StatementLine {
  const { transfer, direction, amount, time, purpose, returns, category } = movement;
  const of = attemptIn(purpose);
  return {
    kind:
      category ??
      (returns === undefined ? 'transfer' : direction === 'in' ? 'return' : 'chargeback'),
    direction,
    legId: transfer,
    ...(returns !== undefined && { ofLegId: returns }),
    ...(of && (direction === 'out' || returns !== undefined) && { of }),
    amount: fromMinor(BigInt(amount)),
    completedAt: new Date(time).toISOString(),
  };
}
