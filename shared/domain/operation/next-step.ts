import { attemptsToWithdraw } from './create.ts';
import { attemptOf, isTerminal, type Attempt, type Operation, type OperationState } from './state.ts';

/** Something that an operation is owed now, and that nobody waits for any more. */
export type Step =
  /** A create that was brought to no outcome within the acceptance wait. */
  | { step: 'reject' }
  /** An attempt that lost, and that its provider may still hold. */
  | { step: 'withdraw'; attempt: Attempt }
  /** The window ended (`expiry`), or nothing was heard for too long (`silence`): ask by the attempt's key. */
  | { step: 'ask'; attempt: Attempt; about: 'expiry' | 'silence' };

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
};

const nothing: Owed = { steps: [], awaitsReport: false };

/**
 * What an operation is owed at a moment, and when to look again. Pure: what it finds can be done twice, or by two
 * processes at once, because each step is decided again at the stream's exact revision.
 */
export function stepsOwed(operation: OperationState, times: LookTimes): Owed {
  if (operation.phase === 'none') return nothing;
  const withdrawals = attemptsToWithdraw(operation).map((number): Step => ({
    step: 'withdraw',
    attempt: known(operation, number),
  }));
  const { steps, ...wait } = progress(operation, times);
  return { steps: [...steps, ...withdrawals], ...wait };
}

function progress(operation: Operation, { nowIso, heardIso, silent }: LookTimes): Owed {
  const { status, accepted, acceptUntil, type } = operation;
  if (isTerminal(status)) return nothing;
  if (status === 'creating') {
    // A payout that a provider may have taken is never declined for want of time (contract §3.14).
    if (type === 'payout') return nothing;
    return nowIso >= acceptUntil
      ? { steps: [{ step: 'reject' }], awaitsReport: false }
      : { steps: [], deadlineIso: acceptUntil, awaitsReport: false };
  }
  if (!accepted) return nothing;
  const attempt = known(operation, accepted.attempt);
  const { expiresAt } = accepted;
  const open = expiresAt !== undefined && nowIso < expiresAt;
  const ended = expiresAt !== undefined && nowIso >= expiresAt && heardIso < expiresAt;
  const about = ended ? 'expiry' : silent ? 'silence' : undefined;
  return {
    steps: about ? [{ step: 'ask', attempt, about }] : [],
    ...(open && { deadlineIso: expiresAt }),
    awaitsReport: true,
  };
}

function known(operation: Operation, number: number): Attempt {
  const attempt = attemptOf(operation, number);
  if (!attempt) throw new Error(`no attempt ${number}`);
  return attempt;
}
