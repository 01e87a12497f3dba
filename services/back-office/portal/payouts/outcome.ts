import type { PayoutOutcome } from '#projections/operations/payout-outcomes.ts';
import { hasPayout, type CheckedBatch } from '#shared/domain/payout-batch/decide.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import type { RowResult } from '#shared/domain/payout-batch/events.ts';
import type { DeclineReason } from '#shared/domain/operation/ends/decline-reason.ts';
import { isTerminal } from '#shared/domain/operation/state.ts';

/** How many payouts, and how much of each currency. */
export type Sum = { payouts: number; amounts: ReadonlyMap<string, string> };

/** What became of the rows of a file. Each row is in one of these. */
export type FileOutcome = {
  completed: Sum;
  partial: Sum;
  /** Also rows without a result, and payouts that the read model lacks. */
  open: number;
  declined: Sum;
  byReason: ReadonlyMap<DeclineReason | 'other', Sum>;
  /** The rows without a payout, by code. */
  notCreated: ReadonlyMap<string, readonly FailedRow[]>;
};

/** A row's number, and the operation that its payout would have been. */
export type FailedRow = { row: number; operationId: string };

type Kind = 'completed' | 'partial' | 'open' | 'declined';

function classifyOutcome(outcome: PayoutOutcome | undefined): Kind {
  if (!outcome || !isTerminal(outcome.status)) return 'open';
  if (outcome.status === 'completed') return 'completed';
  return outcome.status === 'partially_completed' ? 'partial' : 'declined';
}

/** Money that moved; of what was declined, the money that was to move (R24.12). */
export function summarize(
  { checked, results }: CheckedBatch,
  outcomes: ReadonlyMap<string, PayoutOutcome>,
): FileOutcome {
  const ended: Record<Exclude<Kind, 'open'>, PayoutOutcome[]> = {
    completed: [],
    partial: [],
    declined: [],
  };
  let open = checked.rows - results.length;
  for (const { operation_id: id } of results.filter(hasPayout)) {
    const outcome = outcomes.get(id);
    const kind = classifyOutcome(outcome);
    if (kind === 'open' || !outcome) open += 1;
    else ended[kind].push(outcome);
  }
  const rows = results.map((result, index) => ({ ...result, row: index + 1 }));
  const failed = rows.filter((row) => !hasPayout(row));
  const notCreated = Map.groupBy(failed, ({ code = '' }) => code);
  const byReason = Map.groupBy(ended.declined, (each) => each.decline_reason ?? 'other');
  return {
    completed: sum(ended.completed, 'actual_amount'),
    partial: sum(ended.partial, 'actual_amount'),
    open,
    declined: sum(ended.declined, 'expected_amount'),
    byReason: new Map([...byReason].map(([why, each]) => [why, sum(each, 'expected_amount')])),
    notCreated: new Map(
      [...notCreated].map(([code, failures]) => [code, failures.map(toFailedRow)]),
    ),
  };
}

const toFailedRow = ({
  row,
  operation_id: operationId,
}: RowResult & { row: number }): FailedRow => ({
  row,
  operationId,
});

function sum(outcomes: readonly PayoutOutcome[], of: 'actual_amount' | 'expected_amount'): Sum {
  const amounts = new Map<string, bigint>();
  for (const outcome of outcomes)
    amounts.set(outcome.currency, (amounts.get(outcome.currency) ?? 0n) + toMinor(outcome[of]));
  return {
    payouts: outcomes.length,
    amounts: new Map([...amounts].map(([currency, minor]) => [currency, fromMinor(minor)])),
  };
}

/** What a file whose rows all have a result is called; green only when each row is paid. */
export function outcomeStatus(
  { checked }: CheckedBatch,
  { completed, partial, open }: FileOutcome,
): 'paid' | 'paying' | 'partly' | 'unpaid' {
  if (completed.payouts === checked.rows) return 'paid';
  if (open > 0) return 'paying';
  return completed.payouts + partial.payouts > 0 ? 'partly' : 'unpaid';
}
