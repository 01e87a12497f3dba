import type { OperationEvent } from '../events.ts';
import { fold } from '../evolve.ts';
import { allSupported } from '../due-steps/unsupported.ts';
import { dueSteps, type StepTimes } from '../due-steps/steps.ts';
import { route as routeOf } from './create.ts';

/** Events of an operation, and its due steps after them, as words. */

export const at = (seconds: number) => `2026-01-31T12:00:${String(seconds).padStart(2, '0')}.000Z`;
export const route = routeOf({ commission: { percent: '1.00', fixed: '0.00' } });
const figures = { actual_amount: '0.00', settlement_amount: '0.00', commission_amount: '0.00' };

export const admitted = (type: 'payment' | 'payout' = 'payment'): OperationEvent => ({
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
export const started = (attempt: number): OperationEvent => ({
  type: 'AttemptStarted',
  data: { attempt, route },
});
export const unresolved = (attempt: number): OperationEvent => ({
  type: 'AttemptUnresolved',
  data: { attempt, cause: 'timeout' },
});
export const accepted = (attempt: number, expiresAt?: string): OperationEvent => ({
  type: 'AttemptAccepted',
  data: {
    attempt,
    provider_reference: 'ref',
    confirmation_required: false,
    ...(expiresAt && { expires_at: expiresAt }),
  },
});
export const waiting: OperationEvent = {
  type: 'AttemptAccepted',
  data: { attempt: 1, provider_reference: 'ref', confirmation_required: true },
};
export const requested: OperationEvent = {
  type: 'ReservationRequested',
  data: { reservation: 1, currency: 'RUB', amount: '101.00' },
};
export const reserved: OperationEvent = {
  type: 'FundsReserved',
  data: { reservation: 1, attempt: 1 },
};
export const receipt: OperationEvent = {
  type: 'ReceiptUploaded',
  data: { receipt_id: 'r', sha256: 'h', size_bytes: 1, pdf: true },
};
export const completed: OperationEvent = {
  type: 'OperationCompleted',
  data: {
    actual_amount: '100.00',
    recorded_amount: '100.00',
    settlement_amount: '99.00',
    commission_amount: '1.00',
    legs: [],
  },
};
export const cancelled: OperationEvent = {
  type: 'OperationCancelled',
  data: { ...figures, reason: 'cancel' },
};
export const declined: OperationEvent = {
  type: 'OperationDeclined',
  data: { ...figures, reason: 'acceptance_timeout' },
};

/** The due steps after the events, as words: `withdraw 1`, `ask 2 about expiry`. */
export const due = (history: OperationEvent[], times: Partial<StepTimes>) => {
  const { steps, ...wait } = dueSteps(fold(history), {
    nowIso: at(1),
    lastActivityIso: at(0),
    silent: false,
    quiet: true,
    done: new Set(),
    unsupported: allSupported,
    endedByProvider: new Set(),
    ...times,
  });
  const words = steps.map((step) => {
    if (!('attempt' in step)) return step.step;
    const about = step.step === 'ask' ? ` about ${step.about}` : '';
    return `${step.step} ${step.attempt.attempt}${about}`;
  });
  return { words, ...wait };
};
export const nothing = { words: [], awaitsReport: false };
