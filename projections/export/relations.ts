/**
 * The tables and views in an export, each with the time column that assigns its rows to a day.
 * Those without one are current state, and are in every export in full.
 */
export const exported: Readonly<Record<string, string | undefined>> = {
  merchants: undefined,
  shops: undefined,
  route_history: undefined,
  payout_batches: 'uploaded_at',
  operations: 'created_at',
  status_history: 'entered_at',
  legs: 'recorded_at',
  returned_legs: 'recorded_at',
  uploaded_receipts: 'uploaded_at',
  operation_decisions: 'decided_at',
  evidence: 'materialised_at',
  receipts: 'completed_at',
  journal_entries: 'posted_at',
  ledgers: undefined,
  ledger_operations: 'admitted_at',
  ledger_trees: undefined,
  ledger_tree_nodes: undefined,
  ledger_checkpoints: 'signed_at',
  reservations: 'coalesce(opened_at, closed_at)',
  suspense: 'received_at',
  approved_money: 'received_at',
  statements: 'day',
  statement_lines: 'day',
  statement_closings: 'closed_at',
  operator_commands: 'done_at',
  daily_balances: 'day',
  provider_position_by_day: 'day',
  webhook_messages: 'occurred_at',
  webhook_attempts: 'started_at',
};

/** A condition for the rows of one day, in the session's time zone; undefined: all rows. */
export function ofDay(relation: string, day: string | undefined): string {
  const time = exported[relation];
  if (day === undefined || time === undefined) return '';
  const from = `date '${day}'`;
  if (time === 'day') return ` where day = ${from}`;
  return ` where ${time} >= (${from})::timestamptz and ${time} < (${from} + 1)::timestamptz`;
}
