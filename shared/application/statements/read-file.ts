import { decodeLine } from '#shared/domain/statements/lines.ts';
import { type StatementOf, type StoredLine } from '#shared/domain/statements/events.ts';
import { createTurns } from '#shared/platform/loop/yield-loop.ts';
import { daysAround } from './days.ts';
import { createCamtParser } from './files/camt.ts';
import { createCsvParser } from './files/csv.ts';
import { detectDialect, type Dialect, type DialectOverride } from './files/detect.ts';
import { decodePieces } from './files/encoding.ts';
import type { FileFault, Item, Movement, Parser } from './files/item.ts';
import { createMt940Parser } from './files/mt940.ts';
import { createOneCParser } from './files/one-c.ts';

export type FileError = { line: number; code: FileFault };
type FileBalances = {
  openingBalance?: string | undefined;
  closingBalance?: string | undefined;
};
export type ReadFile = { dialect: Dialect } & (
  | { ok: true; lines: StoredLine[]; balances: FileBalances }
  /** The first of them. */
  | { ok: false; errors: FileError[] }
);

/** A file has no more lines. */
export const mostLines = 100_000;

const mostErrors = 100;

const parsers: Readonly<Record<Dialect['format'], (dialect: Dialect) => Parser>> = {
  csv: createCsvParser,
  'camt.053': () => createCamtParser('camt.053'),
  'camt.054': () => createCamtParser('camt.054'),
  mt940: createMt940Parser,
  '1c': createOneCParser,
};

/**
 * Reads the lines of an uploaded file, in its detected or overridden dialect. If lines are wrong,
 * the first ones are reported and none is imported. It yields to the event loop.
 */
export async function readStatementFile(
  bytes: Uint8Array,
  of: StatementOf,
  override: DialectOverride = {},
): Promise<ReadFile> {
  const dialect = detectDialect(bytes, override);
  const yieldTurn = createTurns();
  const collected = createCollector(of);
  for (const items of itemsOf(bytes, dialect)) {
    for (const item of items) {
      await yieldTurn();
      if (!collected.add(item)) return { dialect, ...collected.result() };
    }
    await yieldTurn();
  }
  return { dialect, ...collected.result() };
}

/** The items of each piece of the file, and of its end. */
function* itemsOf(bytes: Uint8Array, dialect: Dialect): Generator<Iterable<Item>> {
  const parser = parsers[dialect.format](dialect);
  for (const text of decodePieces(bytes, dialect.encoding)) {
    if (text === undefined) return yield [{ line: 1, fault: 'encoding', fatal: true }];
    yield parser.take(text);
  }
  yield parser.end();
}

function createCollector(of: StatementOf) {
  const days = daysAround(of.day);
  const lines: StoredLine[] = [];
  const errors: FileError[] = [];
  const balances = createBalances();
  let account: string | undefined;

  /** @returns whether the rest of the file is read */
  function refuse({ line, fault, fatal }: Extract<Item, { fault: unknown }>): boolean {
    errors.push({ line, code: fault });
    return !fatal && errors.length < mostErrors;
  }
  return {
    add(item: Item): boolean {
      const { line } = item;
      if ('fault' in item) return refuse(item);
      if ('balance' in item) balances.add(item);
      else if ('account' in item) {
        account ??= item.account;
        if (item.account !== account)
          return refuse({ line, fault: 'several_accounts', fatal: true });
      } else if (lines.length === mostLines)
        return refuse({ line, fault: 'too_many_lines', fatal: true });
      else {
        const read = lineOf(item.movement, { of, days, number: lines.length + 1 });
        if ('code' in read) return refuse({ line, fault: read.code });
        lines.push(read);
      }
      return true;
    },
    result: () =>
      errors.length === 0
        ? ({ ok: true, lines, balances: balances.result() } as const)
        : ({ ok: false, errors } as const),
  };
}

/**
 * The balances of the first and the last page of a statement, if each page follows the one before.
 */
function createBalances() {
  const balances: FileBalances = {};
  let isBroken = false;
  return {
    add({ balance, amount }: Extract<Item, { balance: unknown }>): void {
      if (balance === 'closing') balances.closingBalance = amount;
      else if (balances.openingBalance === undefined) balances.openingBalance = amount;
      else if (amount !== (balances.closingBalance ?? balances.openingBalance)) isBroken = true;
    },
    result: (): FileBalances => (isBroken ? {} : balances),
  };
}

const wholeNumber = /^[1-9]\d{0,8}$/;

function lineOf(
  { currency, attempt, kind, direction, ...movement }: Movement,
  { of, days, number }: { of: StatementOf; days: readonly string[]; number: number },
): StoredLine | { code: FileFault } {
  if ((currency ?? of.currency) !== of.currency) return { code: 'currency' };
  if (attempt !== undefined && !wholeNumber.test(attempt)) return { code: 'attempt' };
  const { of_leg_id: ofLegId, operation_id: operationId, ...rest } = movement;
  return decodeLine(
    {
      line: number,
      kind: kind as StoredLine['kind'],
      direction: direction as StoredLine['direction'],
      ...(ofLegId !== undefined && { of_leg_id: ofLegId }),
      ...(operationId !== undefined && { operation_id: operationId }),
      ...(attempt !== undefined && { attempt: Number(attempt) }),
      ...rest,
    },
    days,
  );
}
