import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';
import { amountPattern } from '../money.ts';

/**
 * Payouts in bulk. A batch has two streams: `payout-rows-<batch_id>`, the rows of its file, and
 * `payout-batch-<batch_id>`, what became of them. Which batches are confirmed and not done is in
 * one stream of all shops, `payout-runs`, so that any instance finds them.
 */

const of = { batch_id: z.string(), shop_id: z.string() };

const row = z.object({
  merchant_operation_id: z.string(),
  client_id: z.string(),
  method: z.string(),
  amount: z.string().regex(amountPattern),
  currency: z.string(),
  /** Number, name and bank as they are in the file, encrypted with the client's key. */
  sealed: z.string(),
});
export type StoredRow = z.infer<typeof row>;

const rowError = z.object({
  row: z.int().min(1),
  pointer: z.string(),
  code: z.string(),
  /** As a spreadsheet names it, such as `D12`; absent of a whole row, and of a column that the file lacks. */
  cell: z.string().optional(),
  /** The operation that has the row's ID already. */
  operation_id: z.string().optional(),
});
export type RowError = z.infer<typeof rowError>;

const rowResult = z.object({
  merchant_operation_id: z.string(),
  operation_id: z.string(),
  /** Why no provider took the payout; absent if one did. */
  code: z.string().optional(),
});
export type RowResult = z.infer<typeof rowResult>;

/** An event holds no more rows: a store takes 1 MB, and each text may have 512 characters. */
export const mostRowsInEvent = 50;

export const payoutBatchEventSchemas = {
  /** The next rows of the file. They count once the batch is checked. */
  PayoutBatchRowsStored: z.object({ ...of, rows: z.array(row).max(mostRowsInEvent) }),
  /** The file was read as a whole; with an error no payout is made of it. */
  PayoutBatchChecked: z.object({
    ...of,
    rows: z.int().min(0),
    /** The totals of the rows without an error, by currency. */
    total: z.record(z.string(), z.string()),
    errors: z.array(rowError),
    /** The file's name and hash, encrypted with the key of the shop's files. */
    sealed_file: z.string().optional(),
  }),
  PayoutBatchConfirmed: z.object(of),
  /** The results of the next rows, in their order. */
  PayoutBatchRowsCreated: z.object({ ...of, results: z.array(rowResult).max(mostRowsInEvent) }),
  /** Each row has its result. */
  PayoutBatchFinished: z.object(of),
} as const;

export type PayoutBatchEvent = EventOf<typeof payoutBatchEventSchemas>;

export const payoutRowsStream = (batchId: string): string => `payout-rows-${batchId}`;
export const payoutBatchStream = (batchId: string): string => `payout-batch-${batchId}`;
export const payoutRunsStream = 'payout-runs';

/** The stream that an event belongs to. */
export function streamOfBatchEvent({ type, data }: PayoutBatchEvent): string {
  if (type === 'PayoutBatchRowsStored') return payoutRowsStream(data.batch_id);
  if (type === 'PayoutBatchConfirmed' || type === 'PayoutBatchFinished') return payoutRunsStream;
  return payoutBatchStream(data.batch_id);
}

export const decodePayoutBatchEvent = createDecoder(payoutBatchEventSchemas, 'payout batch');
