import { ledgerReadModel } from '../ledger/read-model.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { statementsReadModel } from '../statements/read-model.ts';
import { suspenseReadModel } from '../suspense/read-model.ts';
import { ledgerPosition } from './statement-ledger.ts';
import {
  findingsOfStatement,
  isStillSo,
  notedOn,
  summaryOfStatement,
} from './statement-matching.ts';
import type { SqlView } from './view.ts';

const from = [statementsReadModel, operationsReadModel, suspenseReadModel, ledgerReadModel];
const of = {
  provider: 'The provider',
  account: 'The account with the provider; default is that of the environment',
  currency: 'Of all amounts in the row',
  day: 'The day of the statement, in UTC',
};

export const statementFindings: SqlView = {
  name: 'statement_findings',
  comment:
    'Differences between providers’ statements, the money that the gateway counts, and the ledger. Computed by each query, so resolved differences are not here. Filter by provider and day: each statement is matched by the query.',
  from,
  columns: {
    ...of,
    finding_id:
      'What it is about: <finding>@<operation_id>:<leg_id>, or <finding>:<leg_id> where no operation is known; <finding>.transfer or <finding>.return where it may be either; the same as often as it is found, within the statement',
    finding:
      'not_counted, unknown_line, not_in_statement, amount_differs, operation_differs, duplicate_line, return_not_reported, fee, settlement, other, balance_differs or ledger_differs: docs/operators/statements.md',
    status:
      'open, or closed once an operator has noted the reason; open again if an amount has changed since',
    leg_id: 'The provider’s id of the movement; null for balance_differs and ledger_differs',
    line: 'gateway.statement_lines.line; null where no line is about it',
    line_kind: 'gateway.statement_lines.kind; null as above',
    operation_id: 'The operation as the gateway counts it, otherwise as in the line',
    attempt: 'The attempt, as above',
    direction: 'in or out, from the perspective of the account with the provider',
    amount:
      'As the statement has it; of balance_differs the balance that is wrong, of ledger_differs the ledger’s amount',
    counted_amount: 'As the gateway counts it; of balance_differs what the balance should be',
    completed_at: 'When it moved, as the provider has it; of ledger_differs its newest money',
    decision: 'explained, provider_error or own_error; null while open',
    note: 'The operator’s note',
    closed_by: 'The operator: operator:<name>',
    closed_at: 'Time of the note in the log',
    earlier_note:
      'Of a finding that was closed and is open again: what the person noted then; else null',
    earlier_by: 'Operator of that note: operator:<name>',
    earlier_at: 'Time of the event in the log',
  },
  select: `
    select s.provider, s.account, s.currency, s.day, f.finding_id, f.finding,
      case when n.is_closed then 'closed' else 'open' end as status, f.leg_id, f.line, f.line_kind,
      f.operation_id, f.attempt, f.direction, f.amount::numeric(38,2) as amount,
      f.counted_amount::numeric(38,2) as counted_amount, f.completed_at,
      case when n.is_closed then c.decision end as decision, case when n.is_closed then c.note end as note,
      case when n.is_closed then c.closed_by end as closed_by,
      case when n.is_closed then c.closed_at end as closed_at,
      case when not n.is_closed then c.note end as earlier_note,
      case when not n.is_closed then c.closed_by end as earlier_by,
      case when not n.is_closed then c.closed_at end as earlier_at
    from gateway.statements s cross join lateral (${findingsOfStatement}) f left join ${notedOn}
      cross join lateral (select c.finding_id is not null and ${isStillSo} as is_closed) n`,
};

export const statementDays: SqlView = {
  name: 'statement_days',
  comment:
    'One row per statement of a provider: the confirmed and the unconfirmed part, and both sides’ figures. Filter by provider and day, as gateway.statement_findings.',
  from,
  columns: {
    ...of,
    source: 'provider, or file: gateway.statements.source',
    imported_at: 'Time of the latest import',
    lines: 'Number of lines',
    confirmed: 'Lines that equal the money that the gateway counts',
    findings_open: 'Open findings',
    findings_closed: 'Closed findings',
    total_in: 'Incoming money by the statement',
    total_out: 'Outgoing money by the statement',
    counted_in: 'Incoming money of the day, as counted by the gateway: transfers and returns',
    counted_out: 'Outgoing money of the day, as counted by the gateway',
    opening_balance: 'What the account held before; null where the provider does not say',
    closing_balance: 'Balance at the end of the day; null as above',
    statement_moved: 'What the statement moved on the account: total_in - total_out',
    ledger_moved:
      'The ledger’s movement for the money of the day at this account, whenever it was posted; approvals, and money sent back manually, on the day that the gateway recorded them',
    explained:
      'The expected part of statement_moved - ledger_moved: fee, settlement and other lines; lines of money of a neighbouring day, less money of this day in a neighbour’s statement; money of open operations; money that was approved before it arrived, less approvals and money sent back manually',
    unmatched: 'Sum of the findings about lines and transfers; 0.00 if there are none',
    unexplained:
      'The rest: statement_moved - ledger_moved - explained - unmatched. If not 0.00, the ledger and the operations disagree, and each ledger_differs names an operation',
    ledger_position:
      'Debt of the provider by the ledger at the end of the day, at this account, in this currency. Reads all entries of the provider',
    difference:
      'closing_balance - ledger_position: the balance from before the gateway, plus unexplained and explained of all days',
  },
  select: `
    select d.*, (d.closing_balance - d.ledger_position)::numeric(38,2) as difference
    from (
      select s.provider, s.account, s.currency, s.day, s.source, s.imported_at, s.lines, f.confirmed,
        f.findings_open, f.findings_closed, s.total_in, s.total_out, f.counted_in, f.counted_out,
        s.opening_balance, s.closing_balance, f.statement_moved, f.ledger_moved, f.explained, f.unmatched,
        f.unexplained, (${ledgerPosition}) as ledger_position
      from gateway.statements s cross join lateral (${summaryOfStatement}) f) d`,
};
