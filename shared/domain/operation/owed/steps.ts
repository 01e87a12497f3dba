import { overchargeOf } from '../../late/overcharge.ts';
import { receiptToSubmit } from '../receipt/upload.ts';
import { questionDue, type Question, type QuestionTimes } from '../reports/silent-provider.ts';
import { attemptOf, isTerminal, type Attempt, type Operation, type OperationState } from '../state.ts';
import { entriesOwed } from './ledger-entries.ts';
import { attemptsToHearOut, type HearingOut } from './hearing-out.ts';
import { attemptsToWithdraw } from './withdrawals.ts';

/** Work that is due for an operation and that no request does. */
export type Step =
  /** A create without an outcome when the acceptance wait is over. */
  | { step: 'reject' }
  /** An attempt that the operation no longer needs and its provider may still act on. */
  | { step: 'withdraw'; attempt: Attempt }
  /** The provider is asked about the attempt (`reports/silent-provider.ts`). */
  | { step: 'ask'; attempt: Attempt; about: Question['about'] }
  /** A receipt that has yet to be given to the provider. */
  | { step: 'submit_receipt'; attempt: Attempt; receiptId: string }
  /** The ledger's entries for an operation that has ended. */
  | { step: 'post' }
  /** An operator is shown a payout that cost more than agreed (R12.16). */
  | { step: 'tell_overcharge' }
  /** The provider is asked until it has ended an attempt (`hearing-out.ts`). */
  | { step: 'hear_out'; attempt: Attempt };

/**
 * Steps that need not add an event to the operation's own stream: their caller remembers that they
 * are done.
 */
const untraced = ['post', 'tell_overcharge', 'hear_out'] as const;
export type UntracedStep = (typeof untraced)[number];

export const isTraced = (step: Step['step']): step is Exclude<Step['step'], UntracedStep> =>
  !untraced.some((each) => each === step);

/** Whether the step asks the provider something. */
export const isQuestion = (step: Step['step']): boolean => step === 'ask' || step === 'hear_out';

export type Owed = {
  steps: Step[];
  /** When the next deadline passes; undefined where there is none. */
  deadlineIso?: string;
  /** A provider has more to report. A callback may get lost, so it is asked after a silence. */
  awaitsReport: boolean;
};

export type LookTimes = QuestionTimes &
  HearingOut & {
    /** The newest event is old enough: a request that is being served acts first. */
    quiet: boolean;
    done: ReadonlySet<Exclude<UntracedStep, 'hear_out'>>;
  };

const nothingOwed: Owed = { steps: [], awaitsReport: false };

/** The attempts whose providers have more to report, or are asked until they say. */
export function attemptsAwaited(operation: OperationState, hearing: HearingOut): Attempt[] {
  if (operation.phase !== 'admitted') return [];
  const { accepted, status } = operation;
  const open = accepted && !isTerminal(status) ? [accepted.attempt] : [];
  const numbers = new Set([...open, ...attemptsToHearOut(operation, hearing)]);
  return [...numbers].map((number) => known(operation, number));
}

/**
 * The steps that are due for an operation at a moment, and when to look again. Pure. A step can be
 * taken twice, or by two processes at once: each is decided again at its stream's exact revision.
 */
export function stepsOwed(operation: OperationState, times: LookTimes): Owed {
  if (operation.phase !== 'admitted') return nothingOwed;
  const withdrawals = attemptsToWithdraw(operation, times.lacking).map((number): Step => ({
    step: 'withdraw',
    attempt: known(operation, number),
  }));
  const hearing = attemptsToHearOut(operation, times);
  const hearingOut = (times.silent ? hearing : []).map((number): Step => ({
    step: 'hear_out',
    attempt: known(operation, number),
  }));
  const { steps, ...wait } = isTerminal(operation.status)
    ? { steps: afterTheEnd(operation, times), awaitsReport: false }
    : progress(operation, times);
  return {
    steps: [...steps, ...hearingOut, ...withdrawals],
    ...wait,
    awaitsReport: wait.awaitsReport || hearing.length > 0,
  };
}

function afterTheEnd(operation: Operation, { done }: LookTimes): Step[] {
  const steps: Step[] = [];
  if (!done.has('post') && entriesOwed(operation).length > 0) steps.push({ step: 'post' });
  if (!done.has('tell_overcharge') && overchargeOf(operation)) steps.push({ step: 'tell_overcharge' });
  return steps;
}

function progress(operation: Operation, times: LookTimes): Owed {
  const { status, accepted, acceptUntil } = operation;
  if (status === 'creating') {
    return times.nowIso >= acceptUntil
      ? { steps: [{ step: 'reject' }], awaitsReport: false }
      : { steps: [], deadlineIso: acceptUntil, awaitsReport: false };
  }
  const { question, windowEndsIso } = questionDue(operation, times);
  const steps: Step[] = [];
  if (question)
    steps.push({ step: 'ask', attempt: known(operation, question.attempt), about: question.about });
  const receiptId = receiptToSubmit(operation);
  if (accepted && receiptId !== undefined && times.quiet)
    steps.push({ step: 'submit_receipt', attempt: known(operation, accepted.attempt), receiptId });
  return {
    steps,
    ...(windowEndsIso !== undefined && { deadlineIso: windowEndsIso }),
    awaitsReport: accepted !== undefined || question !== undefined,
  };
}

function known(operation: Operation, number: number): Attempt {
  const attempt = attemptOf(operation, number);
  if (!attempt) throw new Error(`no attempt ${number}`);
  return attempt;
}
