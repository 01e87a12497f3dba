/**
 * What an export holds: the tables of the read models and what else analysts ask for by day, each
 * with the time by which its rows belong to a day. Those without one say how things stand, and are
 * in every export as they are.
 */
export const exported: Readonly<Record<string, string | undefined>> = {
  merchants: undefined,
  shops: undefined,
  route_history: undefined,
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

/** The rows of one day, in the time zone of the session, as a condition; undefined: all of them. */
export function ofDay(relation: string, day: string | undefined): string {
  const time = exported[relation];
  if (day === undefined || time === undefined) return '';
  const from = `date '${day}'`;
  if (time === 'day') return ` where day = ${from}`;
  return ` where ${time} >= (${from})::timestamptz and ${time} < (${from} + 1)::timestamptz`;
}
