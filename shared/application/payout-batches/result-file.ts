import { hasPayout, type PayoutBatch } from '#shared/domain/payout-batch/decide.ts';
import { csvLine } from '#shared/platform/csv/line.ts';

const columns = [
  'row',
  'merchant_operation_id',
  'operation_id',
  'status',
  'code',
  'operation_status',
  'decline_reason',
];

type Outcome = { status: string; decline_reason: string | null };

/** The results of the rows so far, and what became of their payouts, as a CSV file (R24.12). */
export function resultFile(
  { results }: PayoutBatch,
  outcomes: ReadonlyMap<string, Outcome>,
): string {
  const own = (value: string | null) => ({ value, foreign: false });
  const lines = results.map((result, index) => {
    const { merchant_operation_id, operation_id, code } = result;
    const outcome = hasPayout(result) ? outcomes.get(operation_id) : undefined;
    return csvLine([
      own(String(index + 1)),
      { value: merchant_operation_id, foreign: true },
      own(operation_id),
      own(code === undefined ? 'created' : 'failed'),
      own(code ?? null),
      own(outcome?.status ?? null),
      own(outcome?.decline_reason ?? null),
    ]);
  });
  return [csvLine(columns.map(own)), ...lines].join('');
}
