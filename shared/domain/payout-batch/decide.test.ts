import { describe, expect, it } from 'vitest';
import {
  confirmBatch,
  evolveBatch,
  evolveRuns,
  noBatch,
  noRuns,
  recordResults,
  statusOf,
} from './decide.ts';
import type { PayoutBatchEvent, RowError } from './events.ts';

const of = { batch_id: 'batch', shop_id: 'shop' };
const checked = (errors: RowError[] = []): PayoutBatchEvent => ({
  type: 'PayoutBatchChecked',
  data: { ...of, rows: 2, total: { RUB: '2.00' }, errors },
});
const resultsOf = (codes: (string | undefined)[]) =>
  codes.map((code) => ({
    merchant_operation_id: 'a',
    operation_id: 'o',
    ...(code !== undefined && { code }),
  }));
const created = (...codes: (string | undefined)[]): PayoutBatchEvent => ({
  type: 'PayoutBatchRowsCreated',
  data: { ...of, results: resultsOf(codes) },
});
const confirmed: PayoutBatchEvent = { type: 'PayoutBatchConfirmed', data: of };
const finished: PayoutBatchEvent = { type: 'PayoutBatchFinished', data: of };
const stored = (revision: number) => ({
  revision,
  id: `event-${revision}`,
  metadata: { correlation_id: 'request' },
});
const batch = (...events: PayoutBatchEvent[]) =>
  events.reduce((state, event, at) => evolveBatch(state, event, stored(at)), noBatch);
const runs = (...events: PayoutBatchEvent[]) =>
  events.reduce((state, event, at) => evolveRuns(state, event, stored(at)), noRuns);

describe('a batch of payouts', () => {
  it('is confirmed once it is checked, and once only (R24.2)', () => {
    expect(confirmBatch(batch(checked()), runs())).toEqual({ events: [confirmed] });
    expect(confirmBatch(batch(checked()), runs(confirmed))).toEqual({ events: [] });
    const done = batch(checked(), created(undefined, undefined));
    expect(confirmBatch(done, runs(confirmed, finished))).toEqual({ events: [] });
  });

  it('is not confirmed with an error in its file, nor where there is none (R24.2)', () => {
    const wrong = batch(checked([{ row: 1, pointer: '/amount', code: 'amount_invalid' }]));
    expect(confirmBatch(wrong, runs())).toEqual({ refusal: { code: 'file_has_errors' } });
    expect(confirmBatch(batch(), runs())).toEqual({ refusal: { code: 'unknown_batch' } });
  });

  it('takes the results of the rows that follow, whoever made them, once', () => {
    const results = resultsOf([undefined]);
    expect(recordResults(batch(checked()), { from: 0, results })).toEqual({
      events: [created(undefined)],
    });
    const ahead = batch(checked(), created(undefined));
    expect(recordResults(ahead, { from: 0, results })).toEqual({ refusal: { code: 'overtaken' } });
  });

  it('is checked, running, and done once each row has a result', () => {
    expect(statusOf(batch(checked()), runs())).toEqual({
      status: 'checked',
      created: 0,
      failed: 0,
    });
    expect(statusOf(batch(checked(), created('no')), runs(confirmed))).toEqual({
      status: 'running',
      created: 0,
      failed: 1,
    });
    const done = batch(checked(), created('no'), created(undefined));
    expect(statusOf(done, runs(confirmed))).toEqual({ status: 'done', created: 1, failed: 1 });
  });
});
