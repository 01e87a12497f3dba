import type { FindingDecision, LineKind } from '#shared/domain/statements/events.ts';
import type { FindingKind } from '#shared/domain/statements/findings.ts';
import type { Table } from '../read-model.ts';

/** A provider's statement of one account, in one currency, on one day: its newest whole import. */
export type StatementRow = {
  provider: string;
  account: string;
  currency: string;
  day: string;
  import: number;
  source: 'provider' | 'file';
  lines: number;
  total_in: string;
  total_out: string;
  opening_balance: string | null;
  closing_balance: string | null;
  imported_by: string;
  imported_at: Date;
  revision: number;
  position: string;
};

export type StatementLineRow = {
  provider: string;
  account: string;
  currency: string;
  day: string;
  import: number;
  line: number;
  kind: LineKind;
  direction: 'in' | 'out';
  leg_id: string;
  of_leg_id: string | null;
  operation_id: string | null;
  attempt: number | null;
  amount: string;
  completed_at: Date;
  position: string;
};

/** A person's last note on a finding. */
export type StatementClosingRow = {
  provider: string;
  account: string;
  currency: string;
  day: string;
  finding_id: string;
  /** One of `findings`, or one of a newer version. */
  finding: FindingKind | (string & {});
  amount: string | null;
  counted_amount: string | null;
  decision: FindingDecision;
  note: string;
  closed_by: string;
  closed_at: Date;
  position: string;
};

const of = {
  provider: { type: 'text not null', comment: 'The provider, as routes name it' },
  account: {
    type: 'text not null',
    comment: 'Which account with it; default where it has only one',
  },
  currency: { type: 'text not null', comment: 'Of all amounts in the row' },
  day: { type: 'date not null', comment: 'The day of the statement, in UTC' },
} as const;
const ofStatement = ['provider', 'account', 'currency', 'day'] as const;

export const statementsTable: Table<StatementRow> = {
  name: 'statements',
  comment:
    'One row per statement of a provider: an account with it, a currency, a day. As it was imported last; whether it matches the operations: gateway.statement_findings.',
  primaryKey: ofStatement,
  columns: {
    ...of,
    import: {
      type: 'integer not null',
      comment: 'Which import of the day this is; only its lines count',
    },
    source: {
      type: 'text not null',
      comment: 'provider: the gateway asked it; file: an operator uploaded it',
    },
    lines: { type: 'integer not null', comment: 'How many lines it has' },
    total_in: { type: 'numeric(38,2) not null', comment: 'All that came in to the account' },
    total_out: { type: 'numeric(38,2) not null', comment: 'All that went out of it' },
    opening_balance: {
      type: 'numeric(38,2)',
      comment: 'What the account held before; null where the provider does not say',
    },
    closing_balance: { type: 'numeric(38,2)', comment: 'What it held after; null as above' },
    imported_by: {
      type: 'text not null',
      comment: 'service:<name>, or operator:<name> for a file',
    },
    imported_at: { type: 'timestamptz not null', comment: 'When the log took it' },
    revision: { type: 'integer not null', comment: 'The place of the import in its stream' },
    position: { type: 'bigint not null', comment: 'Its place in the log' },
  },
  indexes: [{ on: 'day, provider, account, currency' }],
};

export const statementLinesTable: Table<StatementLineRow> = {
  name: 'statement_lines',
  comment:
    'One row per movement of money in a provider’s statement, of every import that was begun. Those that count have the import of their row in gateway.statements.',
  primaryKey: [...ofStatement, 'import', 'line'],
  columns: {
    ...of,
    import: { type: 'integer not null', comment: 'gateway.statements.import, where it counts' },
    line: { type: 'integer not null', comment: 'Its place in the statement, from 1' },
    kind: {
      type: 'text not null',
      comment:
        'transfer (of an attempt), return (of a payout), chargeback (of a payment), fee, settlement (with the gateway’s own bank account) or other',
    },
    direction: {
      type: 'text not null',
      comment: 'in or out, seen from the account with the provider',
    },
    leg_id: {
      type: 'text not null',
      comment: 'The provider’s id of the movement, as in gateway.legs',
    },
    of_leg_id: {
      type: 'text',
      comment:
        'Of a return or chargeback: the transfer whose money it was, where the provider says so',
    },
    operation_id: {
      type: 'text',
      comment: 'Whose money it is, as the provider has it; null where it does not know',
    },
    attempt: { type: 'integer', comment: 'The attempt, as the provider has it' },
    amount: { type: 'numeric(38,2) not null', comment: 'What moved' },
    completed_at: { type: 'timestamptz not null', comment: 'When, as the provider has it' },
    position: {
      type: 'bigint not null',
      comment: 'The place in the log of the event that holds it',
    },
  },
  indexes: [{ on: 'leg_id, provider, account, currency, day, line, import, kind' }],
};

export const statementClosingsTable: Table<StatementClosingRow> = {
  name: 'statement_closings',
  comment:
    'What people noted on what did not match between a statement and the operations: the last note on each. It moves no money.',
  primaryKey: [...ofStatement, 'finding_id'],
  columns: {
    ...of,
    finding_id: {
      type: 'text not null',
      comment:
        'gateway.statement_findings.finding_id; old notes name no operation: <finding>:<leg_id>',
    },
    finding: { type: 'text not null', comment: 'Its kind: gateway.statement_findings.finding' },
    amount: {
      type: 'numeric(38,2)',
      comment:
        'gateway.statement_findings.amount as it was then. Where it, or the next, is another now, the finding is open again; null in both: an old note, which holds whatever the finding says',
    },
    counted_amount: {
      type: 'numeric(38,2)',
      comment: 'gateway.statement_findings.counted_amount as it was then',
    },
    decision: { type: 'text not null', comment: 'explained, provider_error or own_error' },
    note: { type: 'text not null', comment: 'As the person wrote it' },
    closed_by: { type: 'text not null', comment: 'Who: operator:<name>' },
    closed_at: { type: 'timestamptz not null', comment: 'When the log took it' },
    position: { type: 'bigint not null', comment: 'Its place in the log' },
  },
  indexes: [{ on: 'closed_at, position' }],
};
