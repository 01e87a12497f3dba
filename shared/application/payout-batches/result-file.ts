import type { PayoutBatch } from '#shared/domain/payout-batch/decide.ts';
import { csvLine } from '#shared/platform/csv/line.ts';

const columns = ['row', 'merchant_operation_id', 'operation_id', 'status', 'code'];

/** The results of the rows so far, as a CSV file. */
export function resultFile({ results }: PayoutBatch): string {
  const own = (value: string | null) => ({ value, foreign: false });
  const lines = results.map(({ merchant_operation_id, operation_id, code }, index) =>
    csvLine([
      own(String(index + 1)),
      { value: merchant_operation_id, foreign: true },
      own(operation_id),
      own(code === undefined ? 'created' : 'failed'),
      own(code ?? null),
    ]),
  );
  return [csvLine(columns.map(own)), ...lines].join('');
}
