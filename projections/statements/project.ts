import {
  decodeStatementEvent,
  statementStream,
  type StatementOf,
} from '#shared/domain/statements/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { StatementClosingRow, StatementLineRow, StatementRow } from './tables.ts';

/** The rows of one event of a statement's stream. */
type StatementRows = {
  statement?: StatementRow;
  lines?: StatementLineRow[];
  closing?: StatementClosingRow;
};

/**
 * The rows of an event, from the event alone. Pure.
 * @throws for an event that this version does not know, or in the stream of another statement
 */
export function projectStatement(stored: StoredEvent): StatementRows {
  const { type, data } = decodeStatementEvent(stored);
  if (statementStream(data) !== stored.stream)
    throw new Error('its content belongs to another stream');
  const { provider, account, currency, day }: StatementOf = data;
  const of = { provider, account, currency, day };
  const position = stored.position.toString();
  if (type === 'StatementLinesRead') {
    const lines = data.lines.map((line) => ({
      ...of,
      import: data.import,
      ...line,
      of_leg_id: line.of_leg_id ?? null,
      operation_id: line.operation_id ?? null,
      attempt: line.attempt ?? null,
      completed_at: new Date(line.completed_at),
      position,
    }));
    return { lines };
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
    const fields = { finding_id, finding, amount, counted_amount, decision, note };
    const by = { closed_by: stored.metadata.actor, closed_at: stored.created };
    return { closing: { ...of, ...fields, ...by, position } };
  }
  const { source, lines, total_in, total_out } = data;
  return {
    statement: {
      ...of,
      import: data.import,
      source,
      lines,
      total_in,
      total_out,
      opening_balance: data.opening_balance ?? null,
      closing_balance: data.closing_balance ?? null,
      imported_by: stored.metadata.actor,
      imported_at: stored.created,
      revision: stored.revision,
      position,
    },
  };
}
