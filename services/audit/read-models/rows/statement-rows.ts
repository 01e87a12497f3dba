import { decodeStatementEvent } from '#shared/domain/statements/events.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import type { putOwn } from './tables.ts';

type Put = ReturnType<typeof putOwn>;

/** Puts the rows of a statement event. A later event with the same key replaces them. */
export function putStatementRows(put: Put, envelope: EventEnvelope): void {
  const { type, data } = decodeStatementEvent(envelope);
  const { revision, position } = envelope.event;
  const { provider, account, currency, day } = data;
  const of = { provider, account, currency, day };
  if (type === 'StatementImported') {
    const {
      source,
      lines,
      total_in,
      total_out,
      opening_balance = null,
      closing_balance = null,
    } = data;
    const figures = { import: data.import, source, lines, total_in, total_out };
    const by = { imported_by: envelope.actor, imported_at: envelope.atMs, revision, position };
    put('statements', { ...of, ...figures, opening_balance, closing_balance, ...by }, position);
    return;
  }
  if (type === 'StatementFindingClosed') {
    const {
      finding_id,
      finding,
      decision,
      note,
      amount = null,
      counted: counted_amount = null,
    } = data;
    const closing = { finding_id, finding, amount, counted_amount, decision, note };
    const by = { closed_by: envelope.actor, closed_at: envelope.atMs, position };
    put('statement_closings', { ...of, ...closing, ...by }, position);
    return;
  }
  for (const { line, kind, direction, leg_id, amount, ...more } of data.lines) {
    const { of_leg_id = null, operation_id = null, attempt = null } = more;
    const leg = { leg_id, of_leg_id, operation_id, attempt, amount };
    const moved = { kind, direction, ...leg, completed_at: Date.parse(more.completed_at) };
    put('statement_lines', { ...of, import: data.import, line, ...moved, position }, position);
  }
}
