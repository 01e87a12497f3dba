import { createCsvSplitter } from '#shared/platform/csv/read.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { invalidRequest } from '#shared/platform/http/validate.ts';
import { delimiters, detectDialect } from '../statements/files/detect.ts';
import { decodePieces, detectEncoding } from '../statements/files/encoding.ts';
import { InvalidWorkbook, openArchive, WorkbookTooLarge, type Archive } from './xlsx/archive.ts';
import { readSheetRows, type SheetCell } from './xlsx/sheet-rows.ts';
import { openWorkbook } from './xlsx/workbook.ts';

/**
 * A row with its number in the spreadsheet; the first row of a file is its header. `fault`: the
 * row, and all that follow, can't be read. `isSparse`: cells at its end may be absent.
 */
export type TableRow =
  | { row: number; cells: readonly (SheetCell | undefined)[]; isSparse?: boolean }
  | { row: number; fault: true };

/** A file whose rows are still to be read. */
export type PayoutTable = {
  isWorkbook: boolean;
  /** How many rows the file costs at most. */
  mostCost: number;
  /** How many it costs by what was unpacked so far. */
  cost(): number;
  /** @throws Problem invalid_request, body_too_large */
  rows(): AsyncIterable<TableRow>;
};

/** The bytes that a row of usual length has in a sheet and its texts. */
const unpackedRowBytes = 1_024;

/**
 * A file of payouts as a table: CSV in any dialect of spreadsheets, or .xlsx, of which nothing is
 * unpacked before its rows are read. `mostCharacters`: of the cells of .xlsx.
 * @throws Problem invalid_request
 */
export function openTable(file: Uint8Array, mostCharacters: number): PayoutTable {
  if (isOldWorkbook(file)) throw invalidRequest([unreadableFile]);
  if (!isArchive(file)) {
    const lines = countLines(file);
    const rows = () => readTextRows(file);
    return { isWorkbook: false, mostCost: lines, cost: () => lines, rows };
  }
  const archive = openWorkbookArchive(file);
  const toRows = (bytes: number) => Math.max(1, Math.ceil(bytes / unpackedRowBytes));
  return {
    isWorkbook: true,
    mostCost: toRows(archive.statedBytes),
    cost: () => toRows(archive.unpackedBytes()),
    rows: () => sheetRows(archive, mostCharacters),
  };
}

const lineFeed = 0x0a;

/** The rows of the file, or one more. */
function countLines(content: Uint8Array): number {
  let count = 0;
  for (let at = content.indexOf(lineFeed); at !== -1; at = content.indexOf(lineFeed, at + 1))
    count += 1;
  return Math.max(1, count);
}

/** @throws Problem invalid_request */
function openWorkbookArchive(file: Uint8Array): Archive {
  try {
    return openArchive(file);
  } catch (error) {
    return throwProblem(error);
  }
}

const beginsWith = (file: Uint8Array, start: readonly number[]): boolean =>
  start.every((byte, at) => file[at] === byte);
const isArchive = (file: Uint8Array): boolean => beginsWith(file, [0x50, 0x4b, 0x03, 0x04]);
/** Also what Excel saves with a password. */
const isOldWorkbook = (file: Uint8Array) => beginsWith(file, [0xd0, 0xcf, 0x11, 0xe0]);

export const unreadableFile = {
  pointer: '',
  code: 'field_invalid',
  detail: 'is neither CSV (RFC 4180) nor .xlsx',
} as const;

/** @throws Problem */
function throwProblem(error: unknown): never {
  if (error instanceof InvalidWorkbook)
    throw invalidRequest([
      { ...unreadableFile, detail: `the .xlsx file can’t be read: ${error.message}` },
    ]);
  if (error instanceof WorkbookTooLarge)
    throw new Problem('body_too_large', { detail: 'the .xlsx file has too much in it' });
  throw error;
}

async function* sheetRows(archive: Archive, mostCharacters: number): AsyncGenerator<TableRow> {
  try {
    const workbook = await openWorkbook(archive);
    for await (const row of readSheetRows(workbook, mostCharacters))
      yield { ...row, isSparse: true };
  } catch (error) {
    throwProblem(error);
  }
}

async function* readTextRows(file: Uint8Array): AsyncGenerator<TableRow> {
  const encoding = isDamagedUtf8(file) ? 'utf-8' : detectEncoding(file);
  const { delimiter = 'comma' } = detectDialect({ first: file, encoding }, { format: 'csv' });
  const splitter = createCsvSplitter(delimiters[delimiter]);
  let row = 0;
  for (const text of decodePieces(file, encoding)) {
    if (text === undefined) return yield { row: row + 1, fault: true };
    for (const record of splitter.take(text)) {
      if (row === 0 && isSeparatorLine(record)) continue;
      row += 1;
      yield tableRow(row, record);
      if ('fault' in record) return;
    }
  }
  for (const record of splitter.end()) yield tableRow(row + 1, record);
}

type TextRecord = { cells: readonly string[] } | { fault: string };

const tableRow = (row: number, record: TextRecord): TableRow =>
  'fault' in record
    ? { row, fault: true }
    : { row, cells: record.cells.map((text) => (text === '' ? undefined : { text })) };

/** Excel's own line before the header, `sep=;`, which it does not show. */
const isSeparatorLine = (record: TextRecord): boolean =>
  'cells' in record && record.cells.join('') === 'sep=';

/**
 * Whether a file is UTF-8 but for some bytes: as windows-1251, Cyrillic letters in it would be two
 * wrong ones each.
 */
function isDamagedUtf8(file: Uint8Array): boolean {
  if (detectEncoding(file) !== 'windows-1251') return false;
  let [letters, others] = [0, 0];
  for (let at = 0; at < file.length; at += 1) {
    const byte = file[at] ?? 0;
    const isLetter = (byte === 0xd0 || byte === 0xd1) && ((file[at + 1] ?? 0) & 0xc0) === 0x80;
    if (isLetter) {
      letters += 1;
      at += 1;
    } else if (byte > 0x7f) others += 1;
  }
  return letters > others;
}
