/** How a column is written as text, the same way in PostgreSQL and in the audit. */
export type ColumnKind = 'text' | 'time' | 'interval';

export type AuditedTable = {
  /** The read model that it belongs to. */
  model: 'shops' | 'operations' | 'ledger' | 'suspense' | 'operators' | 'statements';
  name: string;
  /** How many leading columns make up the primary key. */
  keyColumns: number;
  columns: Readonly<Record<string, ColumnKind>>;
  /** A condition for the rows of one shop: the table is `t`, the shop $1. */
  ofShop: string;
};

const ownShop = 't.shop_id = $1';
/** A statement covers the money of all shops. */
const ofNoShop = 'false';
const operationOfShop =
  'exists (select 1 from gateway.operations o where o.operation_id = t.operation_id and o.shop_id = $1)';

const texts = <const Names extends readonly string[]>(...names: Names) =>
  Object.fromEntries(names.map((name) => [name, 'text'])) as Record<Names[number], 'text'>;

/**
 * Every table of the read models with every column. A test compares this list with the tables'
 * definitions, so the audit can't miss a new one.
 */
export const auditedTables = {
  merchants: {
    model: 'shops',
    name: 'merchants',
    keyColumns: 1,
    columns: {
      ...texts('merchant_id', 'name'),
      created_at: 'time',
      updated_at: 'time',
      ...texts('revision', 'position'),
    },
    ofShop: 't.merchant_id = (select merchant_id from gateway.shops where shop_id = $1)',
  },
  shops: {
    model: 'shops',
    name: 'shops',
    keyColumns: 1,
    columns: {
      ...texts('shop_id', 'merchant_id', 'name', 'hosted_page', 'webhook_url', 'webhook_enabled'),
      ...texts('webhook_endpoints', 'overdraft_limits'),
      ...texts('display_name', 'support', 'return_url'),
      created_at: 'time',
      updated_at: 'time',
      ...texts('revision', 'position'),
    },
    ofShop: ownShop,
  },
  route_history: {
    model: 'shops',
    name: 'route_history',
    keyColumns: 3,
    columns: {
      ...texts(
        'shop_id',
        'revision',
        'number',
        'type',
        'method',
        'currency',
        'provider',
        'account',
      ),
      ...texts(
        'priority',
        'requires_receipt',
        'min_amount',
        'max_amount',
        'daily_count',
        'daily_amount',
      ),
      ...texts('commission_percent', 'commission_fixed', 'settlement_currency', 'fx_source'),
      valid_from: 'time',
      valid_to: 'time',
      ...texts('set_by', 'position'),
    },
    ofShop: ownShop,
  },
  operator_commands: {
    model: 'operators',
    name: 'operator_commands',
    keyColumns: 1,
    columns: {
      ...texts('event_id', 'command', 'actor', 'token_id', 'merchant_id', 'shop_id', 'subject'),
      ...texts('amount', 'currency'),
      done_at: 'time',
      position: 'text',
    },
    ofShop: ownShop,
  },
  operations: {
    model: 'operations',
    name: 'operations',
    keyColumns: 1,
    columns: {
      ...texts(
        'operation_id',
        'shop_id',
        'merchant_id',
        'merchant_operation_id',
        'client_id',
        'type',
      ),
      status: 'text',
      status_since: 'time',
      ...texts(
        'statuses_count',
        'method',
        'bankname',
        'bankname_details',
        'currency',
        'expected_amount',
      ),
      ...texts('actual_amount', 'legs_count'),
      ...texts(
        'fx_source',
        'fx_rate',
        'recorded_currency',
        'recorded_amount',
        'settlement_currency',
      ),
      ...texts('settlement_amount', 'commission_amount', 'reservation', 'reserved_currency'),
      reserved_amount: 'text',
      reserved_at: 'time',
      ...texts('provider', 'provider_reference', 'route_priority', 'attempts_count', 'attempts'),
      confirmation_required: 'text',
      receipts_count: 'text',
      receipt_uploaded_at: 'time',
      ...texts('manual_check_reason', 'review_decision', 'reviewed_by'),
      reviewed_at: 'time',
      ...texts('decline_reason', 'cancel_reason', 'metadata'),
      created_at: 'time',
      accept_until: 'time',
      accepted_at: 'time',
      expires_at: 'time',
      ended_at: 'time',
      updated_at: 'time',
      ...texts('revision', 'position'),
    },
    ofShop: ownShop,
  },
  status_history: {
    model: 'operations',
    name: 'status_history',
    keyColumns: 2,
    columns: {
      ...texts('operation_id', 'number', 'status'),
      entered_at: 'time',
      entered_by: 'text',
      left_at: 'time',
      duration: 'interval',
      ...texts('next_status', 'revision', 'position'),
    },
    ofShop: operationOfShop,
  },
  legs: {
    model: 'operations',
    name: 'legs',
    keyColumns: 2,
    columns: {
      ...texts('operation_id', 'leg_id', 'attempt', 'provider', 'currency', 'amount'),
      completed_at: 'time',
      ...texts('file', 'synthetic'),
      recorded_at: 'time',
      position: 'text',
    },
    ofShop: operationOfShop,
  },
  returned_legs: {
    model: 'operations',
    name: 'returned_legs',
    keyColumns: 2,
    columns: {
      ...texts('operation_id', 'leg_id', 'of_leg_id', 'attempt', 'provider', 'currency', 'amount'),
      completed_at: 'time',
      recorded_at: 'time',
      position: 'text',
    },
    ofShop: operationOfShop,
  },
  uploaded_receipts: {
    model: 'operations',
    name: 'uploaded_receipts',
    keyColumns: 2,
    columns: {
      ...texts('operation_id', 'receipt_id', 'number', 'shop_id', 'sha256', 'size_bytes', 'pdf'),
      uploaded_at: 'time',
      uploaded_by: 'text',
      provider_answered_at: 'time',
      provider_took: 'text',
      flagged_at: 'time',
      ...texts('flag_reason', 'decision', 'decided_by'),
      decided_at: 'time',
      ...texts('approved_amount', 'status', 'position'),
    },
    ofShop: ownShop,
  },
  operation_decisions: {
    model: 'operations',
    name: 'operation_decisions',
    keyColumns: 2,
    columns: {
      ...texts(
        'operation_id',
        'revision',
        'shop_id',
        'decision',
        'approved_amount',
        'actor',
        'token_id',
      ),
      decided_at: 'time',
      position: 'text',
    },
    ofShop: ownShop,
  },
  journal_entries: {
    model: 'ledger',
    name: 'journal_entries',
    keyColumns: 3,
    columns: {
      ...texts(
        'shop_id',
        'currency',
        'revision',
        'entry_id',
        'kind',
        'operation_id',
        'reservation',
      ),
      ...texts(
        'leg_id',
        'of_leg_id',
        'adjustment_id',
        'reason',
        'cause',
        'cause_event_id',
        'provider',
      ),
      ...texts('source_amount'),
      ...texts('source_currency', 'fx_rate', 'actor', 'to_balance', 'to_reserved', 'to_commission'),
      ...texts('to_provider', 'to_suspense', 'to_external', 'balance_after', 'reserved_after'),
      posted_at: 'time',
      merchant_operation_id: 'text',
      statement_at: 'time',
      ...texts('leaf_index', 'leaf_hash', 'position'),
    },
    ofShop: ownShop,
  },
  ledger_operations: {
    model: 'ledger',
    name: 'ledger_operations',
    keyColumns: 1,
    columns: { ...texts('operation_id', 'merchant_operation_id'), admitted_at: 'time' },
    ofShop: operationOfShop,
  },
  ledger_trees: {
    model: 'ledger',
    name: 'ledger_trees',
    keyColumns: 1,
    columns: {
      ...texts('shop_id', 'size', 'frontier'),
      newest_at: 'time',
      signed_size: 'text',
      signed_at: 'time',
      position: 'text',
    },
    ofShop: ownShop,
  },
  ledger_tree_nodes: {
    model: 'ledger',
    name: 'ledger_tree_nodes',
    keyColumns: 3,
    columns: texts('shop_id', 'level', 'number', 'hash'),
    ofShop: ownShop,
  },
  ledger_checkpoints: {
    model: 'ledger',
    name: 'ledger_checkpoints',
    keyColumns: 2,
    columns: {
      ...texts('shop_id', 'tree_size', 'root'),
      signed_at: 'time',
      ...texts('key_id', 'signature', 'revision', 'position'),
    },
    ofShop: ownShop,
  },
  ledgers: {
    model: 'ledger',
    name: 'ledgers',
    keyColumns: 2,
    columns: {
      ...texts('shop_id', 'currency', 'balance', 'reserved', 'commission', 'provider', 'suspense'),
      external: 'text',
      first_entry_at: 'time',
      updated_at: 'time',
      ...texts('revision', 'position'),
    },
    ofShop: ownShop,
  },
  reservations: {
    model: 'ledger',
    name: 'reservations',
    keyColumns: 2,
    columns: {
      ...texts('operation_id', 'reservation', 'shop_id', 'currency', 'status', 'amount'),
      opened_at: 'time',
      opened_revision: 'text',
      closed_at: 'time',
      ...texts(
        'closed_revision',
        'recorded_amount',
        'commission_amount',
        'returned_amount',
        'position',
      ),
    },
    ofShop: ownShop,
  },
  evidence: {
    model: 'operations',
    name: 'evidence',
    keyColumns: 1,
    columns: {
      ...texts('operation_id', 'shop_id', 'status', 'receipts_count'),
      materialised_at: 'time',
      ...texts('revision', 'position'),
    },
    ofShop: ownShop,
  },
  receipts: {
    model: 'operations',
    name: 'receipts',
    keyColumns: 2,
    columns: {
      ...texts('operation_id', 'receipt_id', 'number', 'leg_id', 'attempt', 'provider', 'amount'),
      completed_at: 'time',
      ...texts('file', 'synthetic'),
    },
    ofShop:
      'exists (select 1 from gateway.evidence e where e.operation_id = t.operation_id and e.shop_id = $1)',
  },
  suspense: {
    model: 'suspense',
    name: 'suspense',
    keyColumns: 1,
    columns: {
      ...texts('entry_id', 'kind', 'status', 'operation_id', 'shop_id', 'merchant_id', 'provider'),
      ...texts('attempt', 'currency', 'amount', 'leg_id', 'provider_leg_id', 'of_leg_id'),
      ...texts('beyond_amount'),
      completed_at: 'time',
      ...texts('counted_amount', 'reported_amount', 'reported_status', 'operation_status'),
      received_at: 'time',
      ...texts('resolution', 'note', 'resolved_by'),
      resolved_at: 'time',
      ...texts('revision', 'position'),
    },
    ofShop: ownShop,
  },
  approved_money: {
    model: 'suspense',
    name: 'approved_money',
    keyColumns: 1,
    columns: {
      ...texts(
        'entry_id',
        'operation_id',
        'shop_id',
        'provider',
        'attempt',
        'currency',
        'leg_id',
        'provider_leg_id',
        'amount',
      ),
      completed_at: 'time',
      received_at: 'time',
      position: 'text',
    },
    ofShop: ownShop,
  },
  statements: {
    model: 'statements',
    name: 'statements',
    keyColumns: 4,
    columns: {
      ...texts(
        'provider',
        'account',
        'currency',
        'day',
        'import',
        'source',
        'lines',
        'total_in',
        'total_out',
      ),
      ...texts('opening_balance', 'closing_balance', 'imported_by'),
      imported_at: 'time',
      ...texts('revision', 'position'),
    },
    ofShop: ofNoShop,
  },
  statement_lines: {
    model: 'statements',
    name: 'statement_lines',
    keyColumns: 6,
    columns: {
      ...texts(
        'provider',
        'account',
        'currency',
        'day',
        'import',
        'line',
        'kind',
        'direction',
        'leg_id',
      ),
      ...texts('of_leg_id', 'operation_id', 'attempt', 'amount'),
      completed_at: 'time',
      position: 'text',
    },
    ofShop: ofNoShop,
  },
  statement_closings: {
    model: 'statements',
    name: 'statement_closings',
    keyColumns: 5,
    columns: {
      ...texts('provider', 'account', 'currency', 'day', 'finding_id', 'finding', 'amount'),
      ...texts('counted_amount', 'decision', 'note', 'closed_by'),
      closed_at: 'time',
      position: 'text',
    },
    ofShop: ofNoShop,
  },
} as const satisfies Record<string, AuditedTable>;

export type TableName = keyof typeof auditedTables;
export type ModelName = AuditedTable['model'];

/** The values of a row, by column. */
export type RowOf<Name extends TableName> = Record<
  keyof (typeof auditedTables)[Name]['columns'],
  string | number | boolean | null
>;
