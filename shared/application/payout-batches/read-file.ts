import { setImmediate as turn } from 'node:timers/promises';
import type { RowError } from '#shared/domain/payout-batch/events.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { readCsv, type CsvRecord } from '#shared/platform/csv/read.ts';
import { Problem, type FieldError } from '#shared/platform/http/problems.ts';
import { invalidRequest, pointerTo } from '#shared/platform/http/validate.ts';
import { parseCreateBody, type CreateBody } from '../create-body/body.ts';

/** The columns of a file, in any order; `name` and `bankname` may be left out. */
export const fileColumns = [
  'merchant_operation_id',
  'client_id',
  'method',
  'amount',
  'currency',
  'number',
  'name',
  'bankname',
] as const;
type Column = (typeof fileColumns)[number];
const required = fileColumns.slice(0, -2);

/** A file has no more rows below its header. */
export const mostRows = 10_000;
/** Nor more bytes: some 500 a row. */
export const mostFileBytes = 5 * 1024 * 1024;
/** The first of them are named. */
const mostErrors = 1_000;

/** A file as it was read: only without errors are there rows for all that it has. */
export type ReadFile = {
  rows: number;
  total: Record<string, string>;
  errors: RowError[];
  /** The rows without an error, as requests to create a payout. */
  bodies: CreateBody[];
};

/** Few, so that a request that needs several turns of the event loop is not much slower. */
const rowsInTurn = 10;
const pieceBytes = 64 * 1024;

async function* piecesOf(file: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += pieceBytes) yield file.subarray(at, at + pieceBytes);
}

/**
 * Reads a file of payouts, and checks each row as a request to create one (R24.1). The event
 * loop has a turn after each ten.
 * @throws Problem invalid_request where the header is not that of such a file; body_too_large
 *   beyond 10,000 rows
 */
export async function readPayoutFile(file: Uint8Array): Promise<ReadFile> {
  const ids = new Set<string>();
  const errors: RowError[] = [];
  const bodies: CreateBody[] = [];
  let columns: Column[] | undefined;
  let rows = 0;
  for await (const record of readCsv(piecesOf(file))) {
    if (rows % rowsInTurn === 0) await turn();
    if (!columns) {
      columns = columnsOf(record);
      continue;
    }
    rows += 1;
    if (rows > mostRows)
      throw new Problem('body_too_large', { detail: `the limit is ${mostRows} rows` });
    const read = rowOf(columns, record, ids);
    if ('errors' in read)
      errors.push(...read.errors.map(({ pointer, code }) => ({ row: rows, pointer, code })));
    else bodies.push(read);
  }
  if (!columns) columnsOf({ line: 1, cells: [] });
  if (rows === 0)
    throw invalidRequest([{ pointer: '', code: 'field_invalid', detail: 'the file has no row' }]);
  return { rows, total: totalOf(bodies), errors: errors.slice(0, mostErrors), bodies };
}

/** @throws Problem invalid_request */
function columnsOf(record: CsvRecord): Column[] {
  if ('fault' in record) throw invalidRequest([unreadable]);
  // Spreadsheets begin a file with a mark of its encoding.
  const names = record.cells.map((cell) => cell.replace(/^\uFEFF/, ''));
  const allowed: readonly string[] = fileColumns;
  const wrong = names.flatMap((name, index): FieldError[] => {
    const pointer = pointerTo([name]);
    if (name === 'merchant_id' || name === 'shop_id')
      return [{ pointer, code: 'scope_field_forbidden', detail: 'the API key determines it' }];
    if (!allowed.includes(name))
      return [{ pointer, code: 'field_unknown', detail: 'is no column of such a file' }];
    return names.indexOf(name) === index
      ? []
      : [{ pointer, code: 'field_invalid', detail: 'is there twice' }];
  });
  const missing = required
    .filter((name) => !names.includes(name))
    .map((name) => ({ pointer: `/${name}`, code: 'field_required', detail: 'is required' }));
  if (wrong.length + missing.length > 0) throw invalidRequest([...wrong, ...missing]);
  return names as Column[];
}

const unreadable = {
  pointer: '',
  code: 'field_invalid',
  detail: 'is no CSV of RFC 4180 in UTF-8',
} as const;

/** `ids`: those of the rows before; its own is added. */
function rowOf(
  columns: readonly Column[],
  record: CsvRecord,
  ids: Set<string>,
): CreateBody | { errors: readonly Omit<FieldError, 'detail'>[] } {
  if ('fault' in record || record.cells.length !== columns.length) return { errors: [unreadable] };
  const cells = columns.map((name, index) => [name, record.cells[index] ?? ''] as const);
  const fields = Object.fromEntries(cells.filter(([, cell]) => cell !== ''));
  const { merchant_operation_id: id } = fields;
  const isRepeated = id !== undefined && ids.has(id);
  if (id !== undefined) ids.add(id);
  const repeated = isRepeated ? [{ pointer: '/merchant_operation_id', code: 'field_invalid' }] : [];
  try {
    const body = parseCreateBody('payout', fields);
    return isRepeated ? { errors: repeated } : body;
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors) throw error;
    return { errors: [...error.errors, ...repeated] };
  }
}

function totalOf(bodies: readonly CreateBody[]): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of bodies)
    sums.set(currency, (sums.get(currency) ?? 0n) + toMinor(amount));
  return Object.fromEntries([...sums].map(([currency, sum]) => [currency, fromMinor(sum)]));
}
