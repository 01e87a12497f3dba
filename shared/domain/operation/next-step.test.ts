import { describe, expect, test } from 'vitest';
import type { OperationEvent } from './events.ts';
import { fold } from './evolve.ts';
import { stepsOwed, type LookTimes } from './next-step.ts';

const at = (seconds: number) => `2026-01-31T12:00:${String(seconds).padStart(2, '0')}.000Z`;
const route = {
  type: 'payment',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  provider: 'sandbox',
  priority: 1,
  requires_receipt: false,
  commission: { percent: '1.00', fixed: '0.00' },
} as const;
const figures = { actual_amount: '0.00', settlement_amount: '0.00', commission_amount: '0.00' };

const admitted = (type: 'payment' | 'payout' = 'payment'): OperationEvent => ({
  type: 'OperationAdmitted',
  data: {
    operation_id: 'o',
    shop_id: 's',
    merchant_id: 'm',
    type,
    merchant_operation_id: 'order-1',
    body_hash: { rest: 'h' },
    request: { client_id: 'c', method: 'WT_RUB_C2C', amount: '100.00', currency: 'RUB' },
    accept_until: at(15),
  },
});
const started = (attempt: number): OperationEvent => ({ type: 'AttemptStarted', data: { attempt, route } });
const unresolved = (attempt: number): OperationEvent => ({
  type: 'AttemptUnresolved',
  data: { attempt, cause: 'timeout' },
});
const accepted = (attempt: number, expiresAt?: string): OperationEvent => ({
  type: 'AttemptAccepted',
  data: {
    attempt,
    provider_reference: 'ref',
    confirmation_required: false,
    ...(expiresAt && { expires_at: expiresAt }),
  },
});
const waiting: OperationEvent = {
  type: 'AttemptAccepted',
  data: { attempt: 1, provider_reference: 'ref', confirmation_required: true },
};
const requested: OperationEvent = {
  type: 'ReservationRequested',
  data: { reservation: 1, currency: 'RUB', amount: '101.00' },
};
const reserved: OperationEvent = { type: 'FundsReserved', data: { reservation: 1, attempt: 1 } };
const receipt: OperationEvent = {
  type: 'ReceiptUploaded',
  data: { receipt_id: 'r', sha256: 'h', size_bytes: 1, pdf: true },
};
const completed: OperationEvent = {
  type: 'OperationCompleted',
  data: {
    actual_amount: '100.00',
    recorded_amount: '100.00',
    settlement_amount: '99.00',
    commission_amount: '1.00',
    legs: [],
  },
};
const cancelled: OperationEvent = { type: 'OperationCancelled', data: { ...figures, reason: 'cancel' } };
const declined: OperationEvent = {
  type: 'OperationDeclined',
  data: { ...figures, reason: 'acceptance_timeout' },
};

/** What is owed after the events, as words: `withdraw 1`, `ask 2 about expiry`. */
const owed = (given: OperationEvent[], times: Partial<LookTimes>) => {
  const { steps, ...wait } = stepsOwed(fold(given), {
    nowIso: at(1),
    heardIso: at(0),
    silent: false,
    settledDown: true,
    done: new Set(),
    ...times,
  });
  const words = steps.map((step) => {
    if (!('attempt' in step)) return step.step;
    const about = step.step === 'ask' ? ` about ${step.about}` : '';
    return `${step.step} ${step.attempt.attempt}${about}`;
  });
  return { words, ...wait };
};
const nothing = { words: [], awaitsReport: false };

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

describe('a payout whose outcome is not known', () => {
  const given = [admitted('payout'), started(1), requested, reserved, unresolved(1)];

  test('is asked after until its provider says, and never withdrawn', () => {
    expect(owed(given, {})).toEqual({ words: ['ask 1 about outcome'], awaitsReport: true });
  });
});

test('a payout is asked after for its provider’s silence alone, whatever time was named', () => {
  const given = [admitted('payout'), started(1), requested, reserved, accepted(1, at(50))];
  expect(owed(given, { nowIso: at(51) })).toEqual({ words: [], awaitsReport: true });
  expect(owed(given, { nowIso: at(51), silent: true }).words).toEqual(['ask 1 about silence']);
});

describe('a payment that a provider accepted', () => {
  const given = [admitted(), started(1), accepted(1, at(50))];

  test('waits for its end or the provider', () => {
    expect(owed(given, { nowIso: at(49) })).toEqual({ words: [], deadlineIso: at(50), awaitsReport: true });
  });

  test('is asked after at the end of its window', () => {
    expect(owed(given, { nowIso: at(50) })).toEqual({ words: ['ask 1 about expiry'], awaitsReport: true });
  });

  test('is not asked after twice for one end: money in part keeps it open', () => {
    expect(owed(given, { nowIso: at(51), heardIso: at(50) })).toEqual({ words: [], awaitsReport: true });
  });

  test('is asked after again when nothing came of it for long: its payer may have been asked for another receipt', () => {
    expect(owed(given, { nowIso: at(59), heardIso: at(52), silent: true }).words).toEqual([
      'ask 1 about expiry',
    ]);
  });

  test('is asked after when its provider has been silent for too long', () => {
    expect(owed(given, { nowIso: at(40), silent: true }).words).toEqual(['ask 1 about silence']);
    expect(owed([admitted(), started(1), accepted(1)], { silent: true }).words).toEqual([
      'ask 1 about silence',
    ]);
  });

  test('goes on being asked after while a lost attempt is withdrawn', () => {
    const second = [admitted(), started(1), unresolved(1), started(2), accepted(2, at(50))];
    expect(owed(second, { nowIso: at(50) }).words).toEqual(['ask 2 about expiry', 'withdraw 1']);
  });
});

describe('an operation that ended', () => {
  test('is owed the withdrawal of what its provider may still hold', () => {
    expect(owed([admitted(), started(1), cancelled], {}).words).toEqual(['withdraw 1']);
    expect(owed([admitted(), started(1), accepted(1), cancelled], {}).words).toEqual(['withdraw 1']);
    expect(owed([admitted(), started(1), unresolved(1), declined], {}).words).toEqual(['withdraw 1']);
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
    expect(owed(given, {}).words).toEqual(['settle']);
    expect(owed(given, { done: new Set(['settle'] as const) })).toEqual(nothing);
  });

  test('by approval: its provider is asked after each silence, until it has ended the attempt', () => {
    const checked: OperationEvent = { type: 'ManualCheckStarted', data: { receipt_id: 'r' } };
    const decided: OperationEvent = {
      type: 'ReviewDecided',
      data: { receipt_id: 'r', decision: 'approve', actual_amount: '100.00', note: 'seen' },
    };
    const approved = [admitted(), started(1), waiting, receipt, checked, decided, completed];
    const before = new Set(['settle'] as const);
    expect(owed(approved, { done: before })).toEqual({ words: [], awaitsReport: true });
    expect(owed(approved, { done: before, silent: true })).toEqual({
      words: ['hear_out 1'],
      awaitsReport: true,
    });
    expect(owed(approved, { done: new Set([...before, 'hear_out'] as const), silent: true })).toEqual(
      nothing,
    );
  });

  test('a payout without money is owed the end of its reservation', () => {
    const payout = [admitted('payout'), started(1), requested, declined];
    expect(owed(payout, {}).words).toEqual(['settle']);
  });
});

describe('a receipt', () => {
  const given = [admitted(), started(1), waiting, receipt];

  test('is given to the provider when the request that took it has not', () => {
    expect(owed(given, { settledDown: false }).words).toEqual([]);
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
