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

/**
 * The rows of a statement's events, also those that the projection leaves out. A later event
 * with the same key replaces them.
 */
export function createStatementRows(put: Put) {
  /** Of the import whose lines are being read, by stream. */
  const totals = new Map<string, Totals>();
  return (envelope: EventEnvelope): void => {
    const { type, data } = decodeStatementEvent(envelope);
    const { stream, position } = envelope.event;
    const made = projectOrSkip(() => projectStatement(envelope));
    const { provider, account, currency, day } = data;
    const of = { provider, account, currency, day };
    if (type === 'StatementFindingClosed') {
      const { amount, counted, decision, finding_id } = data;
      const own = { amount: exactText(amount), counted_amount: exactText(counted), decision };
      if (made) put('statement_closings', made.closing ?? { ...of, finding_id }, { own, position });
      return;
    }
    let sums = totals.get(stream);
    if (sums?.import !== data.import) sums = { import: data.import, in: 0n, out: 0n };
    if (type === 'StatementLinesRead') {
      totals.set(stream, sums);
      for (const [at, { line, direction, amount }] of data.lines.entries()) {
        sums[direction] += parseExactMinor(amount);
        const own = { amount: exactText(amount), direction };
        const row = made?.lines?.[at] ?? { ...of, import: data.import, line };
        if (made) put('statement_lines', row, { own, position });
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
    if (made)
      put('statements', made.statement ?? { ...of, import: data.import }, { own, position });
  };
}
