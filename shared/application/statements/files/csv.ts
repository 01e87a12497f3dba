import { createCsvSplitter } from '#shared/platform/csv/read.ts';
import { delimiters, type Dialect } from './detect.ts';
import type { Item, Parser } from './item.ts';

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
      if (columns) yield itemOf(columns, record, decimal);
      else {
        columns = columnsOf(record.cells);
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

function columnsOf(names: readonly string[]): Column[] | undefined {
  const columns = names.filter((name): name is Column =>
    (fileColumns as readonly string[]).includes(name),
  );
  const once = new Set(columns).size === names.length;
  return once && required.every((name) => columns.includes(name)) ? columns : undefined;
}

function itemOf(
  columns: readonly Column[],
  { line, cells }: { line: number; cells: readonly string[] },
  decimal: 'dot' | 'comma',
): Item {
  if (cells.length !== columns.length) return { line, fault: 'field_count' };
  const cell = (name: Column): string => cells[columns.indexOf(name)] ?? '';
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
