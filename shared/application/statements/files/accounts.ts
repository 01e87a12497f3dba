import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { decodeLine } from '#shared/domain/statements/lines.ts';
import type { StatementOf, StoredLine } from '#shared/domain/statements/events.ts';
import { daysAround } from '../days.ts';
import { mostFileAccounts, type FileFault, type FileMovement, type Item } from './item.ts';

export type FileError = {
  line: number;
  code: FileFault;
  /** Of balances: by how much the closing one is higher than what the movements lead to. */
  difference?: string;
  /** Of a file with too many lines: how many it has, as far as it can be read. */
  lines?: number;
};
type FileBalances = {
  openingBalance?: string | undefined;
  closingBalance?: string | undefined;
};
/** As the file names it: empty if it does not. */
type NamedAccount = { number: string; currency: string | undefined };
/** An account of the file that is not that of the statement. */
export type OtherAccount = NamedAccount & { lines: number };
/** What a person knows of the file: it counts instead of what the file says. */
export type KnownOfFile = FileBalances & {
  /** The account's number in the file, where several have the statement's currency. */
  accountNumber?: string | undefined;
};

export type AccountInFile =
  | {
      ok: true;
      account: NamedAccount;
      lines: StoredLine[];
      balances: FileBalances;
      /** The entries of the account that are left out, because the bank has not booked them. */
      notBooked: number;
      others: OtherAccount[];
    }
  | { ok: false; errors: FileError[] };

/** A file has no more lines, of all accounts. */
export const mostLines = 100_000;

const mostErrors = 100;

type Account = {
  number: string;
  currency: { name: string; line: number } | undefined;
  line: number;
  lines: StoredLine[];
  errors: FileError[];
  balances: FileBalances;
  balanceLine: number;
  notBooked: number;
};

/** Sorts the items of a file by account, and chooses the statement's account by its currency. */
export function createFileAccounts(of: StatementOf, known: KnownOfFile) {
  const days = daysAround(of.day);
  const accounts = new Map<string, Account>();
  let current: Account | undefined;
  let lineCount = 0;
  let fatal: FileError | undefined;
  let isFull = false;
  /** The first line that is one too many: from there on lines are only counted. */
  let over: number | undefined;

  const enter = (line: number, number: string): Account => {
    const key = number.replaceAll(/\s/g, '');
    const entered = accounts.get(key) ?? newAccount(line, number);
    accounts.set(key, entered);
    return entered;
  };
  function addMovement(account: Account, line: number, movement: FileMovement): void {
    const currency = movement.currency ?? account.currency?.name ?? of.currency;
    // Rows of CSV have no account, so each names the statement's currency itself.
    if (account.number !== '') account.currency ??= { name: currency, line };
    if (currency !== (account.currency?.name ?? of.currency))
      return refuse(account, { line, code: 'currency' });
    lineCount += 1;
    const read = decodeMovement(movement, { days, number: account.lines.length + 1 });
    if ('code' in read) refuse(account, { line, code: read.code });
    // Texts of a parser are slices, which hold the whole piece of the file in memory.
    else account.lines.push(structuredClone(read));
  }

  return {
    /** @returns whether the rest of the file is read */
    add(item: Item): boolean {
      if (over !== undefined) {
        if ('movement' in item) lineCount += 1;
        return !endsFile(item);
      }
      const { line } = item;
      if ('account' in item) {
        current = enter(line, item.account);
        noteCurrency(current, item);
        if (accounts.size > mostFileAccounts) fatal = { line, code: 'too_many_lines' };
        return fatal === undefined;
      }
      current ??= enter(line, '');
      if ('balance' in item) {
        noteCurrency(current, item);
        addBalance(current, item);
      } else if ('movement' in item) {
        addMovement(current, line, item.movement);
        if (lineCount > mostLines) over = forgetLines(accounts, line);
      } else if ('notBooked' in item) current.notBooked += 1;
      else if (item.fatal) fatal = { line, code: item.fault };
      else refuse(current, { line, code: item.fault });
      // Errors of an account that is left out end nothing.
      isFull = current.errors.length >= mostErrors && isCandidate(current, of, known);
      return fatal === undefined && !isFull;
    },
    result(): AccountInFile {
      if (over !== undefined)
        return failed([{ line: over, code: 'too_many_lines', lines: lineCount }]);
      const errors = [...accounts.values()].flatMap((account) => account.errors);
      if (fatal) return failed([...errors, fatal]);
      if (isFull) return failed(errors);
      const chosen = choose([...accounts.values()], of, known);
      if ('code' in chosen) return failed([chosen]);
      return readAccount(chosen, { accounts, known });
    },
  };
}

const endsFile = (item: Item): boolean => 'fault' in item && item.fatal === true;

/** @returns the line from which on lines are only counted */
function forgetLines(accounts: ReadonlyMap<string, Account>, line: number): number {
  for (const account of accounts.values()) account.lines.length = 0;
  return line;
}

const newAccount = (line: number, number: string): Account => ({
  number,
  currency: undefined,
  line,
  lines: [],
  errors: [],
  balances: {},
  balanceLine: line,
  notBooked: 0,
});

function failed(errors: readonly FileError[]): AccountInFile {
  const ordered = errors.toSorted((one, other) => one.line - other.line);
  return { ok: false, errors: ordered.slice(0, mostErrors) };
}

function refuse({ errors }: Account, error: FileError): void {
  if (errors.length < mostErrors) errors.push(error);
}

function noteCurrency(account: Account, item: { line: number; currency?: string | undefined }) {
  const { line, currency: name } = item;
  if (name === undefined) return;
  account.currency ??= { name, line };
  if (account.currency.name !== name) refuse(account, { line, code: 'currency' });
}

/** Each page of a statement continues the one before. */
function addBalance(account: Account, item: Extract<Item, { balance: unknown }>): void {
  const { balances } = account;
  const { line, amount } = item;
  account.balanceLine = line;
  if (item.balance === 'closing') balances.closingBalance = amount;
  else if (balances.openingBalance === undefined) balances.openingBalance = amount;
  else {
    const before = balances.closingBalance ?? balances.openingBalance;
    if (amount !== before)
      refuse(account, { line, code: 'balance', difference: minus(amount, before) });
  }
}

/** Whether the statement may be of the account. */
function isCandidate(
  { number, currency }: Account,
  of: StatementOf,
  { accountNumber }: KnownOfFile,
): boolean {
  if (accountNumber === undefined) return currency === undefined || currency.name === of.currency;
  return number.replaceAll(/\s/g, '') === accountNumber.replaceAll(/\s/g, '');
}

/** The account that the statement is of, or why there is none. */
function choose(
  accounts: readonly Account[],
  of: StatementOf,
  { accountNumber }: KnownOfFile,
): Account | FileError {
  const [first] = accounts;
  if (!first) return newAccount(1, '');
  const wanted = accounts.filter((account) => isCandidate(account, of, { accountNumber }));
  const used = wanted.filter((account) => !isEmpty(account));
  const [chosen = wanted[0], second] = used;
  if (second) return { line: second.line, code: 'several_accounts' };
  if (!chosen && accountNumber !== undefined) return { line: first.line, code: 'account' };
  const { currency, line } = chosen ?? first;
  const isOther = currency !== undefined && currency.name !== of.currency;
  return chosen && !isOther ? chosen : { line: currency?.line ?? line, code: 'currency' };
}

const isEmpty = ({ lines, errors, balances }: Account): boolean =>
  lines.length === 0 && errors.length === 0 && Object.keys(balances).length === 0;

function readAccount(
  chosen: Account,
  { accounts, known }: { accounts: ReadonlyMap<string, Account>; known: KnownOfFile },
): AccountInFile {
  const { lines, errors, balances: ofFile, balanceLine } = chosen;
  const areGiven = (known.openingBalance ?? known.closingBalance) !== undefined;
  const relevant = areGiven ? errors.filter(({ code }) => code !== 'balance') : errors;
  if (relevant.length > 0) return failed(relevant);
  const difference = areGiven ? undefined : balanceDifference(lines, ofFile);
  if (difference !== undefined) return failed([{ line: balanceLine, code: 'balance', difference }]);
  const others = [...accounts.values()].filter((each) => each !== chosen && !isEmpty(each));
  return {
    ok: true,
    account: named(chosen),
    lines,
    balances: {
      openingBalance: known.openingBalance ?? ofFile.openingBalance,
      closingBalance: known.closingBalance ?? ofFile.closingBalance,
    },
    notBooked: chosen.notBooked,
    others: others.map((each) => ({ ...named(each), lines: each.lines.length })),
  };
}

const named = ({ number, currency }: Account): NamedAccount => ({
  number,
  currency: currency?.name,
});

/** Undefined if the closing balance is the opening one with the movements, or one is unknown. */
function balanceDifference(
  lines: readonly StoredLine[],
  { openingBalance, closingBalance }: FileBalances,
): string | undefined {
  if (openingBalance === undefined || closingBalance === undefined) return undefined;
  let balance = toMinor(openingBalance);
  for (const { direction, amount } of lines)
    balance += direction === 'in' ? toMinor(amount) : -toMinor(amount);
  const difference = toMinor(closingBalance) - balance;
  return difference === 0n ? undefined : fromMinor(difference);
}

const minus = (one: string, other: string): string => fromMinor(toMinor(one) - toMinor(other));

const wholeNumber = /^[1-9]\d{0,8}$/;

function decodeMovement(
  movement: FileMovement,
  { days, number }: { days: readonly string[]; number: number },
): StoredLine | { code: FileFault } {
  const { kind, direction, attempt, of_leg_id: ofLegId, operation_id: operationId } = movement;
  if (attempt !== undefined && !wholeNumber.test(attempt)) return { code: 'attempt' };
  const { leg_id, amount, completed_at } = movement;
  return decodeLine(
    {
      line: number,
      kind: kind as StoredLine['kind'],
      direction: direction as StoredLine['direction'],
      ...(ofLegId !== undefined && { of_leg_id: ofLegId }),
      ...(operationId !== undefined && { operation_id: operationId }),
      ...(attempt !== undefined && { attempt: Number(attempt) }),
      leg_id,
      amount,
      completed_at,
    },
    days,
  );
}
