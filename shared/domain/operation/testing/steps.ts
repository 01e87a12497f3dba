import type { OperationEvent } from '../events.ts';
import { fold } from '../evolve.ts';
import { allSupported } from '../due-steps/withdrawals.ts';
import { dueSteps, type StepTimes } from '../due-steps/steps.ts';
import { accepted, noMoney } from './given.ts';

/** Events of an operation, and its due steps after them, as words. */

export const at = (seconds: number) => `2026-01-31T12:00:${String(seconds).padStart(2, '0')}.000Z`;
export const unresolved = (attempt: number): OperationEvent => ({
  type: 'AttemptUnresolved',
  data: { attempt, cause: 'timeout' },
});
export const waiting = accepted(1, { confirmation_required: true });
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
export const declined: OperationEvent = {
  type: 'OperationDeclined',
  data: { ...noMoney, reason: 'acceptance_timeout' },
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
    const about = step.step === 'poll' ? ` about ${step.about}` : '';
    return `${step.step} ${step.attempt.attempt}${about}`;
  });
  return { words, ...wait };
};
export const nothing = { words: [], awaitsReport: false };
