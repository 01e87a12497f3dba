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
    body_hash: 'h',
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
    ...times,
  });
  const words = steps.map((step) => {
    if (step.step === 'reject') return 'reject';
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

  test('of a payout is never rejected for want of time', () => {
    expect(owed([admitted('payout'), started(1)], { nowIso: at(60) })).toEqual(nothing);
  });
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

test('what does not exist is owed nothing', () => {
  expect(owed([], {})).toEqual(nothing);
});
