import { projectStatement } from '#projections/statements/project.ts';
import { decodeStatementEvent } from '#shared/domain/statements/events.ts';
import {
  exactText,
  formatExactMinor,
  parseExactMinor,
} from '../../log/operation/exact-arithmetic.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { projectOrSkip } from './put-row.ts';
import type { Put } from './tables.ts';

type Totals = { import: number; in: bigint; out: bigint };

/** The rows of a statement's events. A later event with the same key replaces them. */
export function createStatementRows(put: Put) {
  /** Of the import whose lines are being read, by stream. */
  const totals = new Map<string, Totals>();
  return (envelope: EventEnvelope): void => {
    const { type, data } = decodeStatementEvent(envelope);
    const { stream, position } = envelope.event;
    const { statement, lines, closing } = projectOrSkip(() => projectStatement(envelope)) ?? {};
    if (type === 'StatementFindingClosed') {
      const { amount, counted } = data;
      const own = { amount: exactText(amount), counted_amount: exactText(counted) };
      if (closing) put('statement_closings', closing, { own, position });
      return;
    }
    let sums = totals.get(stream);
    if (sums?.import !== data.import) sums = { import: data.import, in: 0n, out: 0n };
    if (type === 'StatementLinesRead') {
      totals.set(stream, sums);
      for (const [at, { direction, amount }] of data.lines.entries()) {
        sums[direction] += parseExactMinor(amount);
        const own = { amount: exactText(amount) };
        if (lines?.[at]) put('statement_lines', lines[at], { own, position });
      }
      return;
    }
    totals.delete(stream);
    const own = {
      total_in: formatExactMinor(sums.in),
      total_out: formatExactMinor(sums.out),
      opening_balance: exactText(data.opening_balance),
      closing_balance: exactText(data.closing_balance),
    };
    if (statement) put('statements', statement, { own, position });
  };
}
