import { describe, expect, test } from 'vitest';
import type { OperationEvent } from '../events.ts';
import {
  at,
  admitted,
  started,
  unresolved,
  accepted,
  waiting,
  requested,
  receipt,
  completed,
  cancelled,
  declined,
  owed,
  nothing,
} from '../testing/steps.ts';

describe('a create without an outcome', () => {
  test('is left to the request until the wait is over', () => {
    expect(owed([admitted(), started(1)], { nowIso: at(14) })).toEqual({
      words: [],
      deadlineIso: at(15),
      awaitsReport: false,
    });
  });

  test('is rejected when it is', () => {
    expect(owed([admitted(), started(1)], { nowIso: at(15) }).words).toEqual(['reject']);
  });

  test('has an attempt that did not answer withdrawn while the next one is tried', () => {
    const given = [admitted(), started(1), unresolved(1), started(2)];
    expect(owed(given, { nowIso: at(14) }).words).toEqual(['withdraw 1']);
    expect(owed(given, { nowIso: at(15) }).words).toEqual(['reject', 'withdraw 1']);
  });

  test('of a payout is ended, too: as unresolved where its provider may have been called', () => {
    expect(owed([admitted('payout'), started(1)], { nowIso: at(60) }).words).toEqual(['reject']);
  });
});

describe('an operation that ended', () => {
  test('is owed the withdrawal of what its provider may still hold', () => {
    expect(owed([admitted(), started(1), cancelled], {}).words).toEqual(['withdraw 1']);
    expect(owed([admitted(), started(1), accepted(1), cancelled], {}).words).toEqual([
      'withdraw 1',
    ]);
    expect(owed([admitted(), started(1), unresolved(1), declined], {}).words).toEqual([
      'withdraw 1',
    ]);
  });

  test('is owed nothing once that is done, however long it is silent', () => {
    const withdrawn: OperationEvent = { type: 'AttemptWithdrawn', data: { attempt: 1 } };
    const given = [admitted(), started(1), unresolved(1), declined, withdrawn];
    expect(owed(given, { nowIso: at(59), silent: true })).toEqual(nothing);
  });
});

describe('an operation that ended with money', () => {
  const given = [admitted(), started(1), accepted(1), completed];

  test('is owed its ledger entry, once, and nobody is asked for its evidence', () => {
    expect(owed(given, {}).words).toEqual(['post']);
    expect(owed(given, { done: new Set(['post'] as const) })).toEqual(nothing);
  });

  test('by approval: its provider is asked after each silence, until it has ended the attempt', () => {
    const checked: OperationEvent = { type: 'ManualCheckStarted', data: { receipt_id: 'r' } };
    const decided: OperationEvent = {
      type: 'ReviewDecided',
      data: { receipt_id: 'r', decision: 'approve', actual_amount: '100.00', note: 'seen' },
    };
    const approved = [admitted(), started(1), waiting, receipt, checked, decided, completed];
    const before = new Set(['post'] as const);
    expect(owed(approved, { done: before })).toEqual({ words: [], awaitsReport: true });
    expect(owed(approved, { done: before, silent: true })).toEqual({
      words: ['poll_to_end 1'],
      awaitsReport: true,
    });
    expect(owed(approved, { done: before, endedByProvider: new Set([1]), silent: true })).toEqual(
      nothing,
    );
  });

  test('a payout without money is owed the end of its reservation', () => {
    const payout = [admitted('payout'), started(1), requested, declined];
    expect(owed(payout, {}).words).toEqual(['post']);
  });
});

describe('a receipt', () => {
  const given = [admitted(), started(1), waiting, receipt];

  test('is given to the provider when the request that took it has not', () => {
    expect(owed(given, { quiet: false }).words).toEqual([]);
    expect(owed(given, {}).words).toEqual(['submit_receipt 1']);
    const submitted: OperationEvent = {
      type: 'ReceiptSubmitted',
      data: { receipt_id: 'r', attempt: 1, taken: true },
    };
    expect(owed([...given, submitted], {}).words).toEqual([]);
  });
});

test('what does not exist is owed nothing', () => {
  expect(owed([], {})).toEqual(nothing);
});
