import { between, type RowDifference } from '../rows/row-index.ts';
import { auditedTables, type TableName } from '../rows/tables.ts';
import type { Report } from '../../report/findings/findings.ts';
import { columnsOf } from './live-rows.ts';

/** A difference with the texts of both rows, if there are two. */
type ReportedDifference = RowDifference & { expected?: string; live?: string; table: TableName };

const rules = {
  missing: 'read_model.missing',
  surplus: 'read_model.surplus',
  differs: 'read_model.differs',
} as const;

const longest = 120;
const short = (value: string | null): string => {
  const text = value === null ? 'null' : value;
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
};

/** Reports a row that differs from what the log gives, with the differing columns. */
export function reportRow(report: Report, difference: ReportedDifference): void {
  const { table, kind, position, expected, live } = difference;
  const rowText = expected ?? live ?? '';
  const key = rowText.split(between, auditedTables[table].keyColumns).join(' ');
  const rows = {
    expected: expected === undefined ? [] : columnsOf(table, expected),
    live: new Map(live === undefined ? [] : columnsOf(table, live)),
  };
  const columns = rows.expected.filter(
    ([column, value]) => live !== undefined && rows.live.get(column) !== value,
  );
  const changes = columns.map(
    ([column, value]) =>
      `${column} is ${short(rows.live.get(column) ?? null)}, the log gives ${short(value)}`,
  );
  const shop = columnsOf(table, rowText).find(([column]) => column === 'shop_id')?.[1];
  const text = {
    missing: 'the row is missing',
    surplus: 'no event produces this row',
    differs: changes.join('; '),
  };
  report({
    rule: rules[kind],
    stream: `gateway.${table} ${key}`,
    ...(position > 0 && { position }),
    ...(shop !== null && shop !== undefined && { shopId: shop }),
    message: text[kind],
  });
}
