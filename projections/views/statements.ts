import { ledgerReadModel } from '../ledger/read-model.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { statementsReadModel } from '../statements/read-model.ts';
import { suspenseReadModel } from '../suspense/read-model.ts';
import { ledgerPosition } from './statement-books.ts';
import {
  findingsOfStatement,
  isStillSo,
  notedOn,
  summaryOfStatement,
} from './statement-matching.ts';
import type { View } from './view.ts';

const from = [statementsReadModel, operationsReadModel, suspenseReadModel, ledgerReadModel];
const of = {
  provider: 'The provider',
  account: 'Which account with it; default where it has only one',
  currency: 'Of all amounts in the row',
  day: 'The day of the statement, in UTC',
};

export const statementFindings: View = {
  name: 'statement_findings',
  comment:
    'What does not match between providers’ statements, the money that the gateway counts, and the books. Worked out when it is asked for, so what has come right since is not here. Narrow it down by provider and day: each statement is matched anew.',
  from,
  columns: {
    ...of,
    finding_id:
      'What it is about: <finding>@<operation_id>:<leg_id>, or <finding>:<leg_id> where no operation is known; the same as often as it is found, within the statement',
    finding:
      'not_counted, unknown_line, not_in_statement, amount_differs, operation_differs, duplicate_line, return_not_reported, fee, settlement, other, balance_differs or ledger_differs: docs/operators/statements.md',
    status:
      'open, or closed once a person has noted what it was; open again where an amount has changed since',
    leg_id: 'The provider’s id of the movement; null for balance_differs and ledger_differs',
    line: 'gateway.statement_lines.line; null where no line is about it',
    line_kind: 'gateway.statement_lines.kind; null as above',
    operation_id: 'Whose money it is as the gateway counts it, else as the line has it',
    attempt: 'The attempt, as above',
    direction: 'in or out, seen from the account with the provider',
    amount:
      'As the statement has it; of balance_differs the balance that is wrong, of ledger_differs what the books have',
    counted_amount: 'As the gateway counts it; of balance_differs what the balance should be',
    completed_at: 'When it moved, as the provider has it; of ledger_differs its newest money',
    decision: 'explained, provider_error or own_error; null while open',
    note: 'What the person noted',
    closed_by: 'Who: operator:<name>',
    closed_at: 'When the log took the note',
    earlier_note:
      'Of a finding that was closed and is open again: what the person noted then; else null',
    earlier_by: 'Who noted that: operator:<name>',
    earlier_at: 'When the log took it',
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

export const statementDays: View = {
  name: 'statement_days',
  comment:
    'One row per statement of a provider: how much of it is confirmed, what is not, and both sides’ figures. Narrow it down by provider and day, as gateway.statement_findings.',
  from,
  columns: {
    ...of,
    source: 'provider, or file: gateway.statements.source',
    imported_at: 'When it was imported last',
    lines: 'How many lines it has',
    confirmed: 'Lines that say just what the gateway counts',
    findings_open: 'What waits for a person',
    findings_closed: 'What a person has noted, and is still so',
    total_in: 'What came in, as the statement has it',
    total_out: 'What went out, as the statement has it',
    counted_in: 'What came in on the day, as the gateway counts it: transfers and what came back',
    counted_out: 'What went out on the day, as the gateway counts it',
    opening_balance: 'What the account held before; null where the provider does not say',
    closing_balance: 'What it held after; null as above',
    statement_moved: 'What the statement moved on the account: total_in - total_out',
    ledger_moved:
      'What the books have of the money of the day at this account, whenever it was posted; approvals, and what was sent back by hand, on the day that the gateway took them',
    explained:
      'What of statement_moved - ledger_moved is as it should be: fee, settlement and other lines; lines of money of a neighbouring day, less money of this day in a neighbour’s statement; money of operations that have not ended; money that was approved before it came, less approvals and what was sent back by hand',
    unmatched:
      'What of it the findings about lines and transfers come to; 0.00 where there are none',
    unexplained:
      'The rest: statement_moved - ledger_moved - explained - unmatched. Not 0.00: the books and the operations disagree, and each ledger_differs says about which',
    ledger_position:
      'What the provider owes by the books as the day ended, at this account, in this currency. Reads all entries of the provider',
    difference:
      'closing_balance - ledger_position: what was there before the gateway, and what unexplained and explained came to over the days',
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
