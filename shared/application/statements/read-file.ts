import type { StatementOf } from '#shared/domain/statements/events.ts';
import { createYieldTurns } from '#shared/platform/loop/yield-loop.ts';
import { createFileAccounts, type AccountInFile, type KnownOfFile } from './files/accounts.ts';
import { createCamtParser } from './files/camt.ts';
import { createCsvParser } from './files/csv.ts';
import { detectDialect, type Dialect, type DialectOverride } from './files/detect.ts';
import type { Item, Parser } from './files/item.ts';
import { createMt940Parser } from './files/mt940.ts';
import { createOneCParser } from './files/one-c.ts';
import { decodeSource, readHead, type FileSource } from './files/source.ts';

export type StatementFileContent = { dialect: Dialect } & AccountInFile;

const parsers: Readonly<Record<Dialect['format'], (dialect: Dialect) => Parser>> = {
  csv: createCsvParser,
  'camt.053': () => createCamtParser('camt.053'),
  'camt.054': () => createCamtParser('camt.054'),
  mt940: createMt940Parser,
  '1c': createOneCParser,
};

/**
 * Reads the lines of a file, in its detected or known dialect, with a piece in memory at a time. If
 * lines are wrong, the first ones are reported and none is imported. It yields to the event loop.
 */
export async function readStatementFile(
  source: FileSource,
  of: StatementOf,
  known: DialectOverride & KnownOfFile = {},
): Promise<StatementFileContent> {
  const dialect = detectDialect(await readHead(source, known.encoding), known);
  const yieldTurn = createYieldTurns();
  const accounts = createFileAccounts(of, known);
  for await (const items of readItems(source, dialect)) {
    for (const item of items) {
      await yieldTurn();
      if (!accounts.add(item)) return { dialect, ...accounts.result() };
    }
    await yieldTurn();
  }
  return { dialect, ...accounts.result() };
}

/** The items of each piece of the file, and of its end. */
async function* readItems(source: FileSource, dialect: Dialect): AsyncGenerator<Iterable<Item>> {
  const parser = parsers[dialect.format](dialect);
  for await (const text of decodeSource(source, dialect.encoding)) {
    if (text === undefined) return yield [{ line: 1, fault: 'encoding', fatal: true }];
    yield parser.take(text);
  }
  yield parser.end();
}
