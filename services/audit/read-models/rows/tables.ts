import { readModels } from '#projections/registry.ts';

export const modelNames = [
  'shops',
  'operations',
  'ledger',
  'suspense',
  'operators',
  'statements',
] as const;
export type ModelName = (typeof modelNames)[number];

const ownShop = 't.shop_id = $1';
/** A statement covers the money of all shops. */
const ofNoShop = 'false';
const operationOfShop =
  'exists (select 1 from gateway.operations o where o.operation_id = t.operation_id and o.shop_id = $1)';

/** Every table of the read models, with a condition for the rows of one shop, $1, in table `t`. */
const conditions = {
  merchants: 't.merchant_id = (select merchant_id from gateway.shops where shop_id = $1)',
  shops: ownShop,
  route_history: ownShop,
  payout_batches: ownShop,
  operator_commands: ownShop,
  operations: ownShop,
  status_history: operationOfShop,
  legs: operationOfShop,
  returned_legs: operationOfShop,
  uploaded_receipts: ownShop,
  operation_decisions: ownShop,
  journal_entries: ownShop,
  ledger_operations: operationOfShop,
  ledger_trees: ownShop,
  ledger_tree_nodes: ownShop,
  ledger_checkpoints: ownShop,
  ledgers: ownShop,
  reservations: ownShop,
  evidence: ownShop,
  receipts:
    'exists (select 1 from gateway.evidence e where e.operation_id = t.operation_id and e.shop_id = $1)',
  suspense: ownShop,
  approved_money: ownShop,
  statements: ofNoShop,
  statement_lines: ofNoShop,
  statement_closings: ofNoShop,
} as const;

export type TableName = keyof typeof conditions;

/**
 * Besides amounts: outcomes, and what amounts are computed with or counted in: their currency, rate
 * and sign.
 */
const ownColumns: Partial<Record<TableName, readonly string[]>> = {
  operations: [
    'status',
    'currency',
    'fx_rate',
    'recorded_currency',
    'settlement_currency',
    'reserved_currency',
    'decline_reason',
    'review_decision',
  ],
  status_history: ['number', 'status', 'next_status'],
  legs: ['currency'],
  returned_legs: ['currency'],
  operation_decisions: ['decision'],
  uploaded_receipts: ['status', 'decision'],
  evidence: ['status'],
  payout_batches: ['total'],
  suspense: ['kind', 'status', 'currency', 'resolution'],
  approved_money: ['currency'],
  journal_entries: ['kind', 'source_currency', 'fx_rate', 'leaf_hash'],
  ledger_trees: ['frontier'],
  reservations: ['status', 'currency'],
  statement_lines: ['direction'],
  statement_closings: ['decision'],
};
/** Limits and commissions of routes are settings, which move no money. */
const withoutMoney: ReadonlySet<string> = new Set<TableName>(['route_history']);

type AuditedColumn = {
  name: string;
  type: string;
  /** It is money or an outcome: the audit has a formula of its own for it. */
  isOwn: boolean;
};

type AuditedTable = {
  /** The read model that it belongs to. */
  model: ModelName;
  /** The columns of its primary key. */
  key: readonly string[];
  /** In alphabetical order. */
  columns: readonly AuditedColumn[];
  /** A condition for the rows of one shop: the table is `t`, the shop $1. */
  ofShop: string;
};

/** Every table of the read models, as the projections define it. */
export const auditedTables = Object.fromEntries(
  readModels.flatMap(({ name: model, tables }) =>
    tables.map(({ name, primaryKey: key, columns }): [string, AuditedTable] => {
      const own = ownColumns[name as TableName] ?? [];
      const isMoney = (type: string) => type.startsWith('numeric(38,2)') && !withoutMoney.has(name);
      const audited = Object.entries(columns).map(([column, { type }]) => ({
        name: column,
        type,
        isOwn: own.includes(column) || isMoney(type),
      }));
      const sorted = audited.toSorted((left, right) => (left.name < right.name ? -1 : 1));
      const ofShop = conditions[name as TableName];
      return [name, { model: model as ModelName, key, columns: sorted, ofShop }];
    }),
  ),
) as Record<TableName, AuditedTable>;

/** A row that was in the spill file, where times are text, with dates again. */
export function withDates<Values extends object>(table: TableName, row: Values): Values {
  const dates = auditedTables[table].columns.flatMap(({ name, type }) => {
    const value = (row as Record<string, unknown>)[name];
    const isText = type.startsWith('timestamptz') && typeof value === 'string';
    return isText ? [[name, new Date(value)] as const] : [];
  });
  return dates.length === 0 ? row : { ...row, ...Object.fromEntries(dates) };
}

/** The values of a row, by column; times and intervals in milliseconds. */
export type Row = Record<string, string | number | boolean | null>;

/**
 * Puts a row: its money and outcomes by the audit's own formulas, and all else as the projection
 * makes it.
 */
export type Put = (
  name: TableName,
  projected: object,
  audited: { own?: Readonly<Record<string, unknown>>; position: number },
) => void;
