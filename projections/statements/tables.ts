import type { FindingDecision, LineKind } from '#shared/domain/statements/events.ts';
import type { FindingKind } from '#shared/domain/statements/findings.ts';
import { defineTable, type RowOf } from '../read-model.ts';

/** A provider's statement of one account, in one currency, on one day: its newest whole import. */
export type StatementRow = RowOf<typeof statementsTable>;

export type StatementLineRow = RowOf<typeof statementLinesTable>;

/** A person's last note on a finding. */
export type StatementClosingRow = RowOf<typeof statementClosingsTable>;

const of = {
  provider: { type: 'text not null', comment: 'The provider, as routes name it' },
  account: {
    type: 'text not null',
    comment: 'The account with the provider; default is that of the environment',
  },
  currency: { type: 'text not null', comment: 'Of all amounts in the row' },
  day: { type: 'date not null', comment: 'The day of the statement, in UTC' },
} as const;
const ofStatement = ['provider', 'account', 'currency', 'day'] as const;

export const statementsTable = defineTable<{ source: 'provider' | 'file' }>()({
  name: 'statements',
  comment:
    'One row per statement of a provider: an account with it, a currency, a day. The latest import; differences to the operations: gateway.statement_findings.',
  primaryKey: ofStatement,
  columns: {
    ...of,
    import: {
      type: 'integer not null',
      comment: 'Number of the import of the day; only its lines count',
    },
    source: {
      type: 'text not null',
      comment: 'provider: fetched from the provider; file: uploaded by an operator',
    },
    lines: { type: 'integer not null', comment: 'Number of lines' },
    total_in: { type: 'numeric(38,2) not null', comment: 'Total incoming money on the account' },
    total_out: { type: 'numeric(38,2) not null', comment: 'Total outgoing money on the account' },
    opening_balance: {
      type: 'numeric(38,2)',
      comment: 'What the account held before; null where the provider does not say',
    },
    closing_balance: {
      type: 'numeric(38,2)',
      comment: 'Balance at the end of the day; null as above',
    },
    imported_by: {
      type: 'text not null',
      comment: 'service:<name>, or operator:<name> for a file',
    },
    imported_at: { type: 'timestamptz not null', comment: 'Time of the event in the log' },
    revision: { type: 'integer not null', comment: 'Revision of the import in its stream' },
    position: { type: 'bigint not null', comment: 'Its position in the log' },
  },
  indexes: [{ on: 'day, provider, account, currency' }],
});

export const statementLinesTable = defineTable<{ kind: LineKind; direction: 'in' | 'out' }>()({
  name: 'statement_lines',
  comment:
    'One row per movement of money in a provider’s statement, of every import that was begun. Those that count have the import of their row in gateway.statements.',
  primaryKey: [...ofStatement, 'import', 'line'],
  columns: {
    ...of,
    import: { type: 'integer not null', comment: 'gateway.statements.import, where it counts' },
    line: { type: 'integer not null', comment: 'Number of the line in the statement, from 1' },
    kind: {
      type: 'text not null',
      comment:
        'transfer (of an attempt), return (of a payout), chargeback (of a payment), fee, settlement (with the gateway’s own bank account) or other',
    },
    direction: {
      type: 'text not null',
      comment: 'in or out, from the perspective of the account with the provider',
    },
    leg_id: {
      type: 'text not null',
      comment: 'The provider’s id of the movement, as in gateway.legs',
    },
    of_leg_id: {
      type: 'text',
      comment: 'Of a return or chargeback: the original transfer, if the provider reports it',
    },
    operation_id: {
      type: 'text',
      comment: 'The operation, as reported by the provider; null if unknown',
    },
    attempt: { type: 'integer', comment: 'The attempt, as reported by the provider' },
    amount: { type: 'numeric(38,2) not null', comment: 'The amount that moved' },
    completed_at: {
      type: 'timestamptz not null',
      comment: 'Time of the movement, as reported by the provider',
    },
    position: {
      type: 'bigint not null',
      comment: 'Position in the log of the event that contains it',
    },
  },
  indexes: [{ on: 'leg_id, provider, account, currency, day, line, import, kind' }],
});

export const statementClosingsTable = defineTable<{
  /** One of `findings`, or one of a newer version. */
  finding: FindingKind | (string & {});
  decision: FindingDecision;
}>()({
  name: 'statement_closings',
  comment: 'Operators’ notes on findings: the last note on each. It moves no money.',
  primaryKey: [...ofStatement, 'finding_id'],
  columns: {
    ...of,
    finding_id: {
      type: 'text not null',
      comment:
        'gateway.statement_findings.finding_id; old notes name no kind of money, the oldest no operation: <finding>@<operation_id>:<leg_id>, <finding>:<leg_id>',
    },
    finding: { type: 'text not null', comment: 'Its kind: gateway.statement_findings.finding' },
    amount: {
      type: 'numeric(38,2)',
      comment:
        'gateway.statement_findings.amount at that time. If this or the next amount has changed, the finding is open again; null in both: an old note, which applies to any amounts',
    },
    counted_amount: {
      type: 'numeric(38,2)',
      comment: 'gateway.statement_findings.counted_amount at that time',
    },
    decision: { type: 'text not null', comment: 'explained, provider_error or own_error' },
    note: { type: 'text not null', comment: 'The operator’s note' },
    closed_by: { type: 'text not null', comment: 'The operator: operator:<name>' },
    closed_at: { type: 'timestamptz not null', comment: 'Time of the event in the log' },
    position: { type: 'bigint not null', comment: 'Its position in the log' },
  },
  indexes: [{ on: 'closed_at, position' }],
});
