export const modelNames = [
  'shops',
  'operations',
  'ledger',
  'suspense',
  'operators',
  'statements',
] as const;
export type ModelName = (typeof modelNames)[number];

type AuditedTable = {
  /** The read model that it belongs to. */
  model: ModelName;
  /** The columns of its primary key. */
  key: readonly string[];
  /** A condition for the rows of one shop: the table is `t`, the shop $1. */
  ofShop: string;
};

const ownShop = 't.shop_id = $1';
/** A statement covers the money of all shops. */
const ofNoShop = 'false';
const operationOfShop =
  'exists (select 1 from gateway.operations o where o.operation_id = t.operation_id and o.shop_id = $1)';

/**
 * Every table of the read models. Its columns are those of the database, which have to be
 * those of the rows that the log gives.
 */
export const auditedTables = {
  merchants: {
    model: 'shops',
    key: ['merchant_id'],
    ofShop: 't.merchant_id = (select merchant_id from gateway.shops where shop_id = $1)',
  },
  shops: { model: 'shops', key: ['shop_id'], ofShop: ownShop },
  route_history: { model: 'shops', key: ['shop_id', 'revision', 'number'], ofShop: ownShop },
  payout_batches: { model: 'shops', key: ['batch_id'], ofShop: ownShop },
  operator_commands: { model: 'operators', key: ['event_id'], ofShop: ownShop },
  operations: { model: 'operations', key: ['operation_id'], ofShop: ownShop },
  status_history: { model: 'operations', key: ['operation_id', 'number'], ofShop: operationOfShop },
  legs: { model: 'operations', key: ['operation_id', 'leg_id'], ofShop: operationOfShop },
  returned_legs: { model: 'operations', key: ['operation_id', 'leg_id'], ofShop: operationOfShop },
  uploaded_receipts: { model: 'operations', key: ['operation_id', 'receipt_id'], ofShop: ownShop },
  operation_decisions: { model: 'operations', key: ['operation_id', 'revision'], ofShop: ownShop },
  journal_entries: { model: 'ledger', key: ['shop_id', 'currency', 'revision'], ofShop: ownShop },
  ledger_operations: { model: 'ledger', key: ['operation_id'], ofShop: operationOfShop },
  ledger_trees: { model: 'ledger', key: ['shop_id', 'currency'], ofShop: ownShop },
  ledger_tree_nodes: {
    model: 'ledger',
    key: ['shop_id', 'currency', 'level', 'number'],
    ofShop: ownShop,
  },
  ledger_checkpoints: {
    model: 'ledger',
    key: ['shop_id', 'currency', 'tree_size', 'signed_at'],
    ofShop: ownShop,
  },
  ledgers: { model: 'ledger', key: ['shop_id', 'currency'], ofShop: ownShop },
  reservations: { model: 'ledger', key: ['operation_id', 'reservation'], ofShop: ownShop },
  evidence: { model: 'operations', key: ['operation_id'], ofShop: ownShop },
  receipts: {
    model: 'operations',
    key: ['operation_id', 'receipt_id'],
    ofShop:
      'exists (select 1 from gateway.evidence e where e.operation_id = t.operation_id and e.shop_id = $1)',
  },
  suspense: { model: 'suspense', key: ['entry_id'], ofShop: ownShop },
  approved_money: { model: 'suspense', key: ['entry_id'], ofShop: ownShop },
  statements: {
    model: 'statements',
    key: ['provider', 'account', 'currency', 'day'],
    ofShop: ofNoShop,
  },
  statement_lines: {
    model: 'statements',
    key: ['provider', 'account', 'currency', 'day', 'import', 'line'],
    ofShop: ofNoShop,
  },
  statement_closings: {
    model: 'statements',
    key: ['provider', 'account', 'currency', 'day', 'finding_id'],
    ofShop: ofNoShop,
  },
} as const satisfies Record<string, AuditedTable>;

export type TableName = keyof typeof auditedTables;

/** The values of a row, by column; times and intervals in milliseconds. */
export type Row = Record<string, string | number | boolean | null>;
export type Put = (name: TableName, row: Row, position: number) => void;
