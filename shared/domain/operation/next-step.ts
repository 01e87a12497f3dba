import { overchargeOf } from '../late/overcharge.ts';
import { receiptToSubmit } from './confirm.ts';
import { attemptsToWithdraw } from './create.ts';
import { entriesOwed } from './reserve.ts';
import { attemptOf, isTerminal, type Attempt, type Operation, type OperationState } from './state.ts';

/** Something that an operation is owed now, and that nobody waits for any more. */
export type Step =
  /** A create that was brought to no outcome within the acceptance wait. */
  | { step: 'reject' }
  /** An attempt that lost, and that its provider may still hold. */
  | { step: 'withdraw'; attempt: Attempt }
  /**
   * To be asked by the attempt's key: the window ended (`expiry`), nothing was heard for too long (`silence`), or what
   * became of a payout was never known (`outcome`).
   */
  | { step: 'ask'; attempt: Attempt; about: 'expiry' | 'silence' | 'outcome' }
  /** A receipt that the provider has yet to be given. */
  | { step: 'submit_receipt'; attempt: Attempt; receiptId: string }
  /** The ledger's entries for an operation that has ended. */
  | { step: 'settle' }
  /** An operator is to know of a payout that cost more than agreed (R12.16). */
  | { step: 'tell_overcharge' }
  /** To be asked until it has ended an attempt that an operator approved: the callback of that money may get lost. */
  | { step: 'hear_out'; attempt: Attempt };

/** Steps that leave nothing in the operation's own stream: whoever takes them remembers that they are done. */
const untraced = ['settle', 'tell_overcharge', 'hear_out'] as const;
export type UntracedStep = (typeof untraced)[number];

export const isTraced = (step: Step['step']): step is Exclude<Step['step'], UntracedStep> =>
  !untraced.some((each) => each === step);

/** Whether a step asks the provider for its word. */
export const isQuestion = (step: Step['step']): boolean => step === 'ask' || step === 'hear_out';

export type Owed = {
  steps: Step[];
  /** When the next deadline passes, where there is one ahead. */
  deadlineIso?: string;
  /** The provider has more to say: a callback may get lost, so its silence has an end. */
  awaitsReport: boolean;
};

export type LookTimes = {
  /** Deadlines up to then have passed. */
  nowIso: string;
  /** When the operation last moved, or its provider last answered a question about it. */
  heardIso: string;
  /** That was too long ago. */
  silent: boolean;
  /** The newest event is old enough: whoever serves a request acts first. */
  settledDown: boolean;
  done: ReadonlySet<UntracedStep>;
};

const nothing: Owed = { steps: [], awaitsReport: false };

/**
 * What an operation is owed at a moment, and when to look again. Pure: what it finds can be done twice, or by two
 * processes at once, because each step is decided again at its stream's exact revision.
 */
export function stepsOwed(operation: OperationState, times: LookTimes): Owed {
  if (operation.phase !== 'admitted') return nothing;
  const withdrawals = attemptsToWithdraw(operation).map((number): Step => ({
    step: 'withdraw',
    attempt: known(operation, number),
  }));
  const { steps, ...wait } = isTerminal(operation.status)
    ? afterTheEnd(operation, times)
    : progress(operation, times);
  return { steps: [...steps, ...withdrawals], ...wait };
}

function afterTheEnd(operation: Operation, { done, silent }: LookTimes): Owed {
  const steps: Step[] = [];
  if (!done.has('settle') && entriesOwed(operation).length > 0) steps.push({ step: 'settle' });
  if (!done.has('tell_overcharge') && overchargeOf(operation)) steps.push({ step: 'tell_overcharge' });
  const { accepted, approvedByReview } = operation;
  if (!accepted || !approvedByReview || done.has('hear_out')) return { steps, awaitsReport: false };
  if (silent) steps.push({ step: 'hear_out', attempt: known(operation, accepted.attempt) });
  return { steps, awaitsReport: true };
}

function progress(operation: Operation, times: LookTimes): Owed {
  const { nowIso, heardIso, silent, settledDown } = times;
  const { status, accepted, acceptUntil } = operation;
  if (status === 'creating') {
    return nowIso >= acceptUntil
      ? { steps: [{ step: 'reject' }], awaitsReport: false }
      : { steps: [], deadlineIso: acceptUntil, awaitsReport: false };
  }
  if (!accepted) {
    const unresolved = operation.attempts.findLast(({ outcome }) => outcome === 'unresolved');
    // Not by its silence: its word is owed from the first, and asked for until it is given (R7.6).
    return unresolved
      ? { steps: [{ step: 'ask', attempt: unresolved, about: 'outcome' }], awaitsReport: true }
      : nothing;
  }
  const attempt = known(operation, accepted.attempt);
  const receiptId = receiptToSubmit(operation);
  // A time that a provider names for a payout ends nothing: only a payment has a window (R6.8).
  const expiresAt = operation.type === 'payment' ? accepted.expiresAt : undefined;
  const open = expiresAt !== undefined && nowIso < expiresAt;
  // Asked once at its end, and again after a silence: a receipt may have kept the window open and is asked for anew.
  const ended = expiresAt !== undefined && nowIso >= expiresAt && (heardIso < expiresAt || silent);
  const about = ended ? 'expiry' : silent ? 'silence' : undefined;
  const steps: Step[] = about ? [{ step: 'ask', attempt, about }] : [];
  if (receiptId !== undefined && settledDown) steps.push({ step: 'submit_receipt', attempt, receiptId });
  return { steps, ...(open && { deadlineIso: expiresAt }), awaitsReport: true };
}

function known(operation: Operation, number: number): Attempt {
  const attempt = attemptOf(operation, number);
  if (!attempt) throw new Error(`no attempt ${number}`);
  return attempt;
}
