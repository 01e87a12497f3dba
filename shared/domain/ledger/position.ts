import { fitsCurrency } from '../money.ts';
import { accounts, type LedgerAccount, type Entry } from './events.ts';
import { fromMinor, toMinor, type Minor } from './minor.ts';

/** A ledger's totals after its newest entry. */
export type Position = { revision: number; balance: Minor; reserved: Minor };

export const noEntry: Position = { revision: -1, balance: 0n, reserved: 0n };

/** What the shop owes the gateway, without reserved funds (R12.3). */
export function currentMinus({ balance, reserved }: Pick<Position, 'balance' | 'reserved'>): Minor {
  const deficit = -(balance + reserved);
  return deficit > 0n ? deficit : 0n;
}

export function positionAfter(entry: Entry, revision: number): Position {
  return {
    revision,
    balance: toMinor(entry.balance_after),
    reserved: toMinor(entry.reserved_after),
  };
}

/** What an entry moves on one account. */
export function moved({ legs }: Pick<Entry, 'legs'>, account: LedgerAccount): Minor {
  return legs.reduce(
    (total, leg) => (leg.account === account ? total + toMinor(leg.amount) : total),
    0n,
  );
}

/** Every rule that an entry breaks by itself; none for a correct one. */
export function entryViolations(entry: Entry): string[] {
  const total = entry.legs.reduce((sum, { amount }) => sum + toMinor(amount), 0n);
  const violations: string[] = [];
  if (total !== 0n) violations.push(`the legs add up to ${fromMinor(total)}, not to zero`);
  for (const account of accounts) {
    const times = entry.legs.filter((leg) => leg.account === account).length;
    if (times > 1) violations.push(`the account ${account} is named ${times} times`);
  }
  const unfit = entry.legs.find(({ amount }) => !fitsCurrency(amount, entry.currency));
  if (unfit) violations.push(`${unfit.amount} is no amount in ${entry.currency}`);
  if (entry.legs.some(({ amount }) => toMinor(amount) === 0n))
    violations.push('a leg moves nothing');
  if (toMinor(entry.reserved_after) < 0n)
    violations.push(`reserved_after is ${entry.reserved_after}`);
  return violations;
}

/** Every rule that an entry breaks, by itself and as the one after `before`. */
export function violationsAfter(before: Position, entry: Entry): string[] {
  const violations = entryViolations(entry);
  for (const account of ['balance', 'reserved'] as const) {
    const expected = fromMinor(before[account] + moved(entry, account));
    const stated = entry[`${account}_after`];
    if (stated !== expected) violations.push(`${account}_after is ${stated}, not ${expected}`);
  }
  return violations;
}
