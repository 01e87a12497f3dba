import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { RowError } from '#shared/domain/payout-batch/events.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { Problem, type FieldError } from '#shared/platform/http/problems.ts';
import { invalidRequest, pointerTo } from '#shared/platform/http/validate.ts';
import { parseCreateBody, type CreateBody } from '../create-body/body.ts';
import { cellName } from './cell-name.ts';
import { readCellText, tidyNumber } from './cell-texts.ts';
import { fromSheetRow, toSheetRow } from './sheet-row.ts';
import { openTable, unreadableFile, type PayoutTable, type TableRow } from './table-rows.ts';
import type { SheetCell } from './xlsx/sheet-rows.ts';

/** The columns of a file, in any order; `name` and `bankname` may be left out. */
export const payoutFileColumns = [
  'merchant_operation_id',
  'client_id',
  'method',
  'amount',
  'currency',
  'number',
  'name',
  'bankname',
] as const;
type Column = (typeof payoutFileColumns)[number];
export const requiredColumns = payoutFileColumns.slice(0, -2);

const csvType = 'text/csv';
export const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** What a file may be sent as; its first bytes show what it is. */
export const payoutFileTypes = [csvType, xlsxType] as const;

/** A file has no more rows below its header. */
export const mostRows = 10_000;
/** Nor more bytes: some 500 a row. */
export const mostFileBytes = 5 * 1024 * 1024;
/** The first of them are named. */
export const mostErrors = 1_000;

type FaultyRow = { row: number; merchant_operation_id: string };

/** A file as it was read: only without errors are there rows for all that it has. */
export type PayoutFileContent = {
  rows: number;
  total: Record<string, string>;
  errors: RowError[];
  /** The rows without an error, as requests to create a payout. */
  bodies: CreateBody[];
  /** The numbers of these rows, from 1 below the header. */
  numbers: number[];
  /** The rows with an error whose ID has none. */
  faultyRows: FaultyRow[];
  /** The column of their IDs, from 0. */
  idColumn: number;
  /** Of its bytes, in hexadecimal. */
  sha256: string;
};

/** Few, so that a request that needs several turns of the event loop is not much slower. */
const rowsInTurn = 10;

/**
 * Reads a file of payouts, CSV or .xlsx, and checks each row as a request to create one (R24.1).
 * The event loop has a turn after each ten. `opened`: that of the file, if it was opened before.
 * @throws Problem invalid_request where the header is not that of such a file; body_too_large
 *   beyond 10,000 rows
 */
export async function readPayoutFile(
  file: Uint8Array,
  opened?: PayoutTable,
): Promise<PayoutFileContent> {
  const table = opened ?? openTable(file, mostFileBytes);
  const ids = new Set<string>();
  const errors: RowError[] = [];
  const bodies: CreateBody[] = [];
  const numbers: number[] = [];
  const faultyRows: FaultyRow[] = [];
  let columns: Column[] | undefined;
  let rows = 0;
  for await (const record of filledRows(table.rows())) {
    if (!columns) {
      columns = readHeader(record);
      continue;
    }
    rows = fromSheetRow(record.row);
    if (rows > mostRows)
      throw new Problem('body_too_large', { detail: `the limit is ${mostRows} rows` });
    const read = readRow(columns, record, ids);
    if ('errors' in read) {
      for (const error of read.errors) errors.push({ row: rows, ...error });
      if (read.id !== undefined) faultyRows.push({ row: rows, merchant_operation_id: read.id });
    } else {
      bodies.push(read);
      numbers.push(rows);
    }
  }
  if (!columns) readHeader({ row: 1, cells: [] });
  if (rows === 0)
    throw invalidRequest([{ pointer: '', code: 'field_invalid', detail: 'the file has no row' }]);
  const sha256 = createHash('sha256').update(file).digest('hex');
  const total = sumByCurrency(bodies);
  const idColumn = columns?.indexOf('merchant_operation_id') ?? 0;
  return {
    rows,
    total,
    errors: errors.slice(0, mostErrors),
    bodies,
    numbers,
    faultyRows,
    idColumn,
    sha256,
  };
}

/** The rows from the first to the last that is not empty, also those that the file leaves out. */
async function* filledRows(rows: AsyncIterable<TableRow>): AsyncGenerator<TableRow> {
  let next = 1;
  let read = 0;
  for await (const row of rows) {
    read += 1;
    if (read % rowsInTurn === 0) await turn();
    if ('cells' in row && row.cells.every(isBlank)) continue;
    // Beyond the limit the first one is enough.
    for (; next < row.row && next <= toSheetRow(mostRows + 1); next += 1)
      yield { row: next, cells: [] };
    yield row;
    next = row.row + 1;
  }
}

const isBlank = (cell: SheetCell | undefined): boolean =>
  cell === undefined || ('text' in cell && cell.text.trim() === '');

/** The cells up to the last that is not empty. */
const filledCells = (cells: readonly (SheetCell | undefined)[]) =>
  cells.slice(0, cells.findLastIndex((cell) => !isBlank(cell)) + 1);

/** Of a name that is no column's: it may be a text of any length, and data. */
const mostNameCharacters = 64;

/** @throws Problem invalid_request */
function readHeader(record: TableRow): Column[] {
  if ('fault' in record) throw invalidRequest([unreadableFile]);
  const names = Array.from(filledCells(record.cells), (cell) =>
    cell && 'text' in cell ? cell.text : '',
  );
  const allowed: readonly string[] = payoutFileColumns;
  const wrong = names.flatMap((name, index): FieldError[] => {
    const pointer = pointerTo([name.slice(0, mostNameCharacters)]);
    if (name === 'merchant_id' || name === 'shop_id')
      return [{ pointer, code: 'scope_field_forbidden', detail: 'the API key determines it' }];
    if (!allowed.includes(name))
      return [{ pointer, code: 'field_unknown', detail: 'is no column of such a file' }];
    return names.indexOf(name) === index
      ? []
      : [{ pointer, code: 'field_invalid', detail: 'is there twice' }];
  });
  const missing = requiredColumns
    .filter((name) => !names.includes(name))
    .map((name) => ({ pointer: `/${name}`, code: 'field_required', detail: 'is required' }));
  if (wrong.length + missing.length > 0) throw invalidRequest([...wrong, ...missing]);
  return names as Column[];
}

/** What is wrong with a row, or with one of its cells, which it names. */
type Fault = Omit<RowError, 'row'>;

/** Its ID, if it has one without a fault. */
type FaultsOfRow = { errors: readonly Fault[]; id?: string | undefined };

/** `ids`: those of the rows before; its own is added. */
function readRow(
  columns: readonly Column[],
  record: TableRow,
  ids: Set<string>,
): CreateBody | FaultsOfRow {
  const wholeRow = (code: string): FaultsOfRow => ({ errors: [{ pointer: '', code }] });
  if ('fault' in record) return wholeRow('field_invalid');
  const { row, cells } = record;
  if (cells.every(isBlank)) return wholeRow('field_required');
  if (hasOtherCells(columns, record)) return wholeRow('field_invalid');
  const faults: { pointer: string; code: string }[] = [];
  const fields: Record<string, string> = {};
  for (const [index, name] of columns.entries()) {
    const read = readCellText(cells[index], name);
    if ('code' in read) faults.push({ pointer: `/${name}`, code: read.code });
    else if (read.text !== '') fields[name] = read.text;
  }
  const { merchant_operation_id: id, method = '', number } = fields;
  if (number !== undefined) fields['number'] = tidyNumber(method, number);
  if (id !== undefined && ids.has(id))
    faults.push({ pointer: '/merchant_operation_id', code: 'field_invalid' });
  if (id !== undefined) ids.add(id);
  const read = checkFields(fields, faults);
  if (!('errors' in read)) return read;
  const cell = (pointer: string) => {
    const column = columns.findIndex((name) => pointer === `/${name}`);
    return column < 0 ? {} : { cell: cellName({ row, column }) };
  };
  const isIdFaulty = read.errors.some(({ pointer }) => pointer === '/merchant_operation_id');
  return {
    errors: read.errors.map(({ pointer, code }) => ({ pointer, code, ...cell(pointer) })),
    id: isIdFaulty ? undefined : id,
  };
}

/** CSV has each cell of a row, and .xlsx only those that are not empty. */
function hasOtherCells(
  columns: readonly Column[],
  { cells, isSparse }: Extract<TableRow, { cells: unknown }>,
): boolean {
  return filledCells(cells).length > columns.length || (!isSparse && cells.length < columns.length);
}

/** `faults`: those of the cells; what a request lacks because of them is no other one. */
function checkFields(
  fields: Readonly<Record<string, string>>,
  faults: readonly Fault[],
): CreateBody | { errors: readonly Fault[] } {
  const isOther = ({ pointer }: Fault) => !faults.some((fault) => fault.pointer === pointer);
  try {
    const body = parseCreateBody('payout', fields);
    return faults.length > 0 ? { errors: faults } : body;
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors) throw error;
    return { errors: [...error.errors.filter(isOther), ...faults] };
  }
}

/** The sum of the rows, by currency. */
export function sumByCurrency(bodies: readonly CreateBody[]): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of bodies)
    sums.set(currency, (sums.get(currency) ?? 0n) + toMinor(amount));
  return Object.fromEntries([...sums].map(([currency, sum]) => [currency, fromMinor(sum)]));
}
