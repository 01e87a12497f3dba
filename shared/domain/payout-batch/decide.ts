import type { PayoutBatchEvent, RowResult } from './events.ts';

type Checked = Extract<PayoutBatchEvent, { type: 'PayoutBatchChecked' }>['data'];

/** A batch as its stream has it. */
export type PayoutBatch = {
  revision: number;
  /** Absent: there is no batch. */
  checked?: Checked;
  /** Of the first rows, in their order. */
  results: readonly RowResult[];
};

export type CheckedBatch = PayoutBatch & { checked: Checked };
export const isChecked = (batch: PayoutBatch): batch is CheckedBatch => batch.checked !== undefined;

export const noBatch: PayoutBatch = { revision: -1, results: [] };

export function evolveBatch(
  state: PayoutBatch,
  { type, data }: PayoutBatchEvent,
  { revision }: { revision: number },
): PayoutBatch {
  if (type === 'PayoutBatchChecked') return { ...state, revision, checked: data };
  if (type === 'PayoutBatchRowsCreated')
    return { ...state, revision, results: [...state.results, ...data.results] };
  throw new Error(`${type} in the stream of a batch`);
}

/** The confirmed batches that are not done: by id, with what confirmed them. */
export type PayoutRuns = { revision: number; running: ReadonlyMap<string, Run> };
export type Run = {
  batchId: string;
  shopId: string;
  /** The event that confirmed it, and the request behind that. */
  causationId: string;
  correlationId: string;
};

export const noRuns: PayoutRuns = { revision: -1, running: new Map() };

export function evolveRuns(
  { running }: PayoutRuns,
  { type, data }: PayoutBatchEvent,
  stored: { revision: number; id: string; metadata: { correlation_id: string } },
): PayoutRuns {
  const { revision } = stored;
  const { batch_id: batchId, shop_id: shopId } = data;
  const left = [...running].filter(([id]) => id !== batchId);
  if (type === 'PayoutBatchFinished') return { revision, running: new Map(left) };
  if (type !== 'PayoutBatchConfirmed') throw new Error(`${type} in the stream of runs`);
  const { id: causationId } = stored;
  const { correlation_id: correlationId } = stored.metadata;
  const run = { batchId, shopId, causationId, correlationId };
  return { revision, running: new Map([...left, [batchId, run]]) };
}

/** Each row has its result, and there is one. */
export const isDone = ({ checked, results }: PayoutBatch): boolean =>
  checked !== undefined && results.length > 0 && results.length >= checked.rows;

/** What a batch is answered with. */
export function statusOf(batch: PayoutBatch, runs: PayoutRuns) {
  const failed = batch.results.filter(({ code }) => code !== undefined).length;
  const started = batch.results.length > 0 || runs.running.has(batch.checked?.batch_id ?? '');
  const status = isDone(batch) ? 'done' : started ? 'running' : 'checked';
  return { status, created: batch.results.length - failed, failed } as const;
}

export type Confirmed =
  | { events: PayoutBatchEvent[] }
  | { refusal: { code: 'unknown_batch' | 'file_has_errors' } };

/** Confirmed twice it runs once. */
export function confirmBatch(batch: PayoutBatch, runs: PayoutRuns): Confirmed {
  const { checked } = batch;
  if (!checked) return { refusal: { code: 'unknown_batch' } };
  if (checked.errors.length > 0) return { refusal: { code: 'file_has_errors' } };
  const { batch_id, shop_id } = checked;
  if (isDone(batch) || runs.running.has(batch_id)) return { events: [] };
  return { events: [{ type: 'PayoutBatchConfirmed', data: { batch_id, shop_id } }] };
}

export type Recorded = { events: PayoutBatchEvent[] } | { refusal: { code: 'overtaken' } };

/** `from`: how many rows had a result when the work on these began; another instance may be ahead. */
export function recordResults(
  { checked, results: before }: PayoutBatch,
  { from, results }: { from: number; results: readonly RowResult[] },
): Recorded {
  if (!checked || before.length !== from) return { refusal: { code: 'overtaken' } };
  const { batch_id, shop_id } = checked;
  const data = { batch_id, shop_id, results: [...results] };
  return { events: [{ type: 'PayoutBatchRowsCreated', data }] };
}
