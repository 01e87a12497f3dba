import { describe, expect, test } from 'vitest';
import type { OperationEvent } from '../events.ts';
import { accepted, admitted, cancelled, started } from '../testing/given.ts';
import { requested } from '../testing/payouts.ts';
import {
  at,
  unresolved,
  waiting,
  receipt,
  completed,
  declined,
  due,
  nothing,
} from '../testing/steps.ts';

describe('a create without an outcome', () => {
  test('is left to the request until the acceptance wait is over', () => {
    expect(due([admitted(), started(1)], { nowIso: at(14) })).toEqual({
      words: [],
      deadlineIso: at(15),
      awaitsReport: false,
    });
  });

  test('is rejected after the acceptance wait (R7.12)', () => {
    expect(due([admitted(), started(1)], { nowIso: at(15) }).words).toEqual(['reject']);
  });

  test('has an unresolved attempt withdrawn while the next one is tried', () => {
    const history = [admitted(), started(1), unresolved(1), started(2)];
    expect(due(history, { nowIso: at(14) }).words).toEqual(['withdraw 1']);
    expect(due(history, { nowIso: at(15) }).words).toEqual(['reject', 'withdraw 1']);
  });

  test('of a payout is rejected after the acceptance wait too (R7.12)', () => {
    expect(due([admitted({ type: 'payout' }), started(1)], { nowIso: at(60) }).words).toEqual([
      'reject',
    ]);
  });
});

describe('a terminal operation', () => {
  test('has a withdrawal due if its provider may still carry it out', () => {
    expect(due([admitted(), started(1), cancelled], {}).words).toEqual(['withdraw 1']);
    expect(due([admitted(), started(1), accepted(1), cancelled], {}).words).toEqual(['withdraw 1']);
    expect(due([admitted(), started(1), unresolved(1), declined], {}).words).toEqual([
      'withdraw 1',
    ]);
  });

  test('has nothing due after the withdrawal, even after a long silence', () => {
    const withdrawn: OperationEvent = { type: 'AttemptWithdrawn', data: { attempt: 1 } };
    const history = [admitted(), started(1), unresolved(1), declined, withdrawn];
    expect(due(history, { nowIso: at(59), silent: true })).toEqual(nothing);
  });
});

describe('a terminal operation with a ledger entry', () => {
  const history = [admitted(), started(1), accepted(1), completed];

  test('has only the entry due, once', () => {
    expect(due(history, {}).words).toEqual(['post']);
    expect(due(history, { done: new Set(['post'] as const) })).toEqual(nothing);
  });

  test('is polled after an approval until its provider has ended the attempt', () => {
    const checked: OperationEvent = { type: 'ManualCheckStarted', data: { receipt_id: 'r' } };
    const decided: OperationEvent = {
      type: 'ReviewDecided',
      data: { receipt_id: 'r', decision: 'approve', actual_amount: '100.00', note: 'seen' },
    };
    const approved = [admitted(), started(1), waiting, receipt, checked, decided, completed];
    const done = new Set(['post'] as const);
    expect(due(approved, { done })).toEqual({ words: [], awaitsReport: true });
    expect(due(approved, { done, silent: true })).toEqual({
      words: ['poll_to_end 1'],
      awaitsReport: true,
    });
    expect(due(approved, { done, endedByProvider: new Set([1]), silent: true })).toEqual(nothing);
  });

  test('has the release of a payout’s reservation due if there is no money', () => {
    const payout = [admitted({ type: 'payout' }), started(1), requested(), declined];
    expect(due(payout, {}).words).toEqual(['post']);
  });
});

describe('a receipt', () => {
  const history = [admitted(), started(1), waiting, receipt];

  test('is submitted to the provider if the upload request did not do so', () => {
    expect(due(history, { quiet: false }).words).toEqual([]);
    expect(due(history, {}).words).toEqual(['submit_receipt 1']);
    const submitted: OperationEvent = {
      type: 'ReceiptSubmitted',
      data: { receipt_id: 'r', attempt: 1, taken: true },
    };
    expect(due([...history, submitted], {}).words).toEqual([]);
  });
});

test('an operation that does not exist has nothing due', () => {
  expect(due([], {})).toEqual(nothing);
});
