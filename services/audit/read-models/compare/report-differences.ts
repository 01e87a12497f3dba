import { between, none, type RowDifference } from '../rows/row-index.ts';
import { auditedTables, type TableName } from '../rows/tables.ts';
import type { Report } from '../../report/findings/findings.ts';

type Values = ReadonlyMap<string, string | null>;

function parseRow(columns: readonly string[], row: string | undefined): Values {
  const values = row === undefined ? [] : row.split(between);
  return new Map(
    values.map((value, at) => [columns[at] ?? '', value === none ? null : value] as const),
  );
}

const longest = 120;
const short = (value: string | null | undefined): string => {
  const text = value ?? 'null';
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
};

/** Reports a row that differs from what the log gives, with the differing columns. */
export function reportRow(
  report: Report,
  difference: RowDifference & { table: TableName },
  columns: readonly string[],
): void {
  const { table, kind, position } = difference;
  const expected = parseRow(columns, difference.expected);
  const live = parseRow(columns, difference.live);
  const either = expected.size > 0 ? expected : live;
  const key = auditedTables[table].key.map((column) => either.get(column)).join(' ');
  const changes = columns
    .filter((column) => live.get(column) !== expected.get(column))
    .map(
      (column) =>
        `${column} is ${short(live.get(column))}, the log gives ${short(expected.get(column))}`,
    );
  const shop = either.get('shop_id');
  const text = {
    missing: 'the row is missing',
    surplus: 'no event produces this row',
    differs: changes.join('; '),
  };
  report({
    rule: `read_model.${kind}`,
    stream: `gateway.${table} ${key}`,
    ...(position > 0 && { position }),
    ...(shop !== null && shop !== undefined && { shopId: shop }),
    message: text[kind],
  });
}
