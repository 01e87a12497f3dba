import { decodeLine, type LineFault } from '#shared/domain/statements/lines.ts';
import type { StatementOf, StoredLine } from '#shared/domain/statements/events.ts';
import { readCsv, type CsvRecord } from '#shared/platform/csv/read.ts';
import { createTurns } from '#shared/platform/loop/turns.ts';
import { daysAround } from './days.ts';

/** The columns of a file, in any order; the last three may be left out. */
export const fileColumns = [
  'kind',
  'direction',
  'leg_id',
  'amount',
  'currency',
  'completed_at',
  'of_leg_id',
  'operation_id',
  'attempt',
] as const;
type Column = (typeof fileColumns)[number];
const required: readonly Column[] = fileColumns.slice(0, -3);

/** What can be wrong with a file, beside the fields of its lines. */
export type FileFault =
  | LineFault
  /** The first line does not name the columns, each once. */
  | 'header'
  /** The line has more or fewer fields than there are columns. */
  | 'field_count'
  /** It is not that of the statement. */
  | 'currency'
  | 'too_many_lines'
  | Extract<CsvRecord, { fault: string }>['fault'];

export type FileError = { line: number; code: FileFault };
export type ReadFile =
  | { ok: true; lines: StoredLine[] }
  /** The first of them. */
  | { ok: false; errors: FileError[] };

/** A file has no more lines. */
export const mostLines = 100_000;

const mostErrors = 100;

/**
 * The lines of a file that a person brings, as it comes. Where one is wrong, the first that are
 * wrong are named, and none is taken. The loop has its turn in between, as long as `bytes` come in
 * pieces.
 */
export async function readStatementFile(
  bytes: AsyncIterable<Uint8Array>,
  of: StatementOf,
): Promise<ReadFile> {
  const lines: StoredLine[] = [];
  const errors: FileError[] = [];
  const giveWay = createTurns();
  const days = daysAround(of.day);
  let columns: Column[] | undefined;
  for await (const record of readCsv(bytes)) {
    await giveWay();
    if ('fault' in record) errors.push({ line: record.line, code: record.fault });
    else if (!columns) {
      columns = columnsOf(record.cells);
      if (!columns) return { ok: false, errors: [{ line: record.line, code: 'header' }] };
    } else {
      const read = lineOf(columns, record.cells, { of, days, number: lines.length + 1 });
      if ('code' in read) errors.push({ line: record.line, code: read.code });
      else if (lines.length < mostLines) lines.push(read);
      else return { ok: false, errors: [...errors, { line: record.line, code: 'too_many_lines' }] };
    }
    if (errors.length === mostErrors) break;
  }
  if (!columns && errors.length === 0) errors.push({ line: 1, code: 'header' });
  return errors.length === 0 ? { ok: true, lines } : { ok: false, errors };
}

function columnsOf(cells: readonly string[]): Column[] | undefined {
  // Spreadsheets begin a file with a mark of its encoding.
  const names = cells.map((cell, index) => (index === 0 ? cell.replace(/^\uFEFF/, '') : cell));
  const known = names.filter((name): name is Column =>
    (fileColumns as readonly string[]).includes(name),
  );
  const once = new Set(known).size === names.length;
  return once && required.every((name) => known.includes(name)) ? known : undefined;
}

const wholeNumber = /^[1-9]\d{0,8}$/;

function lineOf(
  columns: readonly Column[],
  cells: readonly string[],
  { of, days, number }: { of: StatementOf; days: readonly string[]; number: number },
): StoredLine | { code: FileFault } {
  if (cells.length !== columns.length) return { code: 'field_count' };
  const cell = (name: Column): string => cells[columns.indexOf(name)] ?? '';
  const given = (name: Column) => (cell(name) === '' ? undefined : cell(name));
  if (cell('currency') !== of.currency) return { code: 'currency' };
  const attempt = given('attempt');
  if (attempt !== undefined && !wholeNumber.test(attempt)) return { code: 'attempt' };
  const [ofLegId, operationId] = [given('of_leg_id'), given('operation_id')];
  return decodeLine(
    {
      line: number,
      kind: cell('kind') as StoredLine['kind'],
      direction: cell('direction') as StoredLine['direction'],
      leg_id: cell('leg_id'),
      ...(ofLegId !== undefined && { of_leg_id: ofLegId }),
      ...(operationId !== undefined && { operation_id: operationId }),
      ...(attempt !== undefined && { attempt: Number(attempt) }),
      amount: cell('amount'),
      completed_at: cell('completed_at'),
    },
    days,
  );
}
