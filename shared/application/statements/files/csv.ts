import { createCsvSplitter } from '#shared/platform/csv/read.ts';
import { delimiters, type Dialect } from './detect.ts';
import type { Item, Parser } from './item.ts';

/** The columns of a file, in any order; the last three may be left out. */
export const statementFileColumns = [
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
type Column = (typeof statementFileColumns)[number];
const required: readonly Column[] = statementFileColumns.slice(0, -3);

/** The gateway's own columns, with any separator that spreadsheets use. */
export function createCsvParser({
  delimiter = 'comma',
  decimal = 'dot',
}: Pick<Dialect, 'delimiter' | 'decimal'>): Parser {
  const splitter = createCsvSplitter(delimiters[delimiter]);
  let columns: Column[] | undefined;

  function* items(records: ReturnType<typeof splitter.take>): Generator<Item> {
    for (const record of records) {
      const { line } = record;
      if ('fault' in record) return yield { line, fault: record.fault, fatal: true };
      // Spreadsheets write rows that were emptied, and Excel the separator before the header.
      const isEmpty = record.cells.every((cell) => cell.trim() === '');
      if (isEmpty || (!columns && isSeparator(record.cells))) continue;
      if (columns) yield toItem(columns, record, decimal);
      else {
        columns = readCsvHeader(record.cells);
        if (!columns) return yield { line, fault: 'header', fatal: true };
      }
    }
  }

  return {
    take: (text) => items(splitter.take(text)),
    *end() {
      yield* items(splitter.end());
      if (!columns) yield { line: 1, fault: 'header', fatal: true };
    },
  };
}

/** `sep=;` is a cell `sep=` before an empty one. */
const isSeparator = ([first = '', ...others]: readonly string[]): boolean =>
  first === 'sep=' && others.every((cell) => cell === '');

/** The names of the columns; cells without a name may follow them. */
function readCsvHeader(header: readonly string[]): Column[] | undefined {
  const names = header.slice(0, header.findLastIndex((name) => name.trim() !== '') + 1);
  const columns = names
    .map((name) => name.trim().toLowerCase())
    .filter((name): name is Column => (statementFileColumns as readonly string[]).includes(name));
  const once = new Set(columns).size === names.length;
  return once && required.every((name) => columns.includes(name)) ? columns : undefined;
}

function toItem(
  columns: readonly Column[],
  { line, cells }: { line: number; cells: readonly string[] },
  decimal: 'dot' | 'comma',
): Item {
  const others = cells.slice(columns.length);
  if (cells.length < columns.length || others.some((cell) => cell.trim() !== ''))
    return { line, fault: 'field_count' };
  const cell = (name: Column): string => (cells[columns.indexOf(name)] ?? '').trim();
  const optional = (name: Column) => (cell(name) === '' ? undefined : cell(name));
  const movement = {
    kind: cell('kind'),
    direction: cell('direction'),
    leg_id: cell('leg_id'),
    of_leg_id: optional('of_leg_id'),
    operation_id: optional('operation_id'),
    attempt: optional('attempt'),
    amount: decimal === 'comma' ? withDot(cell('amount')) : cell('amount'),
    currency: cell('currency'),
    completed_at: cell('completed_at'),
  };
  return { line, movement };
}

/** Converts `1 500,00`, as spreadsheets write it; a dot is invalid, as it is of another dialect. */
function withDot(amount: string): string {
  const groups = /^\d{1,3}(?:[ \u{A0}\u{202F}]\d{3})+,/u;
  const bare = groups.test(amount) ? amount.replaceAll(/[ \u{A0}\u{202F}]/gu, '') : amount;
  return bare.includes('.') ? '' : bare.replace(',', '.');
}
