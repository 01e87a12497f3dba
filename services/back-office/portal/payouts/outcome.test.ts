import { expect, it } from 'vitest';
import type { PayoutOutcome } from '#projections/operations/payout-outcomes.ts';
import type { CheckedBatch } from '#shared/domain/payout-batch/decide.ts';
import { outcomeStatus, summarize } from './outcome.ts';

const payout = (change: Partial<PayoutOutcome> = {}): PayoutOutcome => ({
  status: 'completed',
  decline_reason: null,
  currency: 'RUB',
  expected_amount: '10.00',
  actual_amount: '10.00',
  ...change,
});
const declined = payout({
  status: 'declined',
  decline_reason: 'provider_declined',
  actual_amount: '0.00',
});

/** A file of as many rows as there are results, each with the payout that it led to. */
function outcomeOf(results: readonly ({ code: string } | PayoutOutcome | undefined)[], rows = 0) {
  const batch: CheckedBatch = {
    revision: 0,
    uploadedBy: { actor: 'member:anna' },
    checked: {
      batch_id: 'batch',
      shop_id: 'shop',
      rows: Math.max(rows, results.length),
      total: {},
      errors: [],
    },
    results: results.map((result, at) => ({
      merchant_operation_id: `order-${at}`,
      operation_id: `operation-${at}`,
      ...(result && 'code' in result && { code: result.code }),
    })),
  };
  const outcomes = results.flatMap((result, at) =>
    result && 'status' in result ? [[`operation-${at}`, result] as const] : [],
  );
  const outcome = summarize(batch, new Map(outcomes));
  return { outcome, status: outcomeStatus(batch, outcome) };
}

it('is green only when each row is paid in full (R24.12)', () => {
  const partial = payout({ status: 'partially_completed', actual_amount: '4.00' });
  const statuses = [
    [payout(), payout()],
    [payout(), partial],
    [payout(), { code: 'internal_error' }],
    [payout(), payout({ status: 'pending' })],
    // The read model may lack a payout that was just created.
    [payout(), undefined],
    [payout(), declined],
    [declined, { code: 'personal_data_erased' }],
  ].map((results) => outcomeOf(results).status);
  expect(statuses).toEqual(['paid', 'partly', 'partly', 'paying', 'paying', 'partly', 'unpaid']);
  expect(outcomeOf([payout()], 2).status).toBe('paying');
});

it('adds up what moved, and what was declined by its reason (R24.12)', () => {
  const other = payout({ status: 'declined', decline_reason: 'no_route', expected_amount: '5.00' });
  const { outcome } = outcomeOf([
    payout(),
    payout({ actual_amount: '7.50' }),
    declined,
    other,
    // What has the name of this row is another operation, whatever became of that.
    { ...payout(), code: 'idempotency_body_mismatch' },
    payout({ status: 'pending' }),
  ]);
  const rub = (payouts: number, amount: string) => ({
    payouts,
    amounts: new Map([['RUB', amount]]),
  });
  expect(outcome).toEqual({
    completed: rub(2, '17.50'),
    partial: { payouts: 0, amounts: new Map() },
    open: 1,
    declined: rub(2, '15.00'),
    byReason: new Map([
      ['provider_declined', rub(1, '10.00')],
      ['no_route', rub(1, '5.00')],
    ]),
    notCreated: new Map([['idempotency_body_mismatch', [{ row: 5, operationId: 'operation-4' }]]]),
  });
});
