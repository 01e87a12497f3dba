import { receiptToSubmit } from '../receipt/upload.ts';
import { findDuePoll, type DuePoll, type PollTimes } from '../reports/silent-provider.ts';
import {
  findAttempt,
  isTerminal,
  type Attempt,
  type Operation,
  type OperationState,
} from '../state.ts';
import { dueEntries } from './ledger-entries.ts';
import { attemptsToPollToEnd, type PollToEnd } from './poll-to-end.ts';
import { attemptsToWithdraw } from './withdrawals.ts';
import { findOvercharge } from './overcharge.ts';

/** Work that is due for an operation without a request. */
export type DueStep =
  /** A create without an outcome when the acceptance wait is over. */
  | { step: 'reject' }
  /** An attempt that the operation no longer needs and its provider may still act on. */
  | { step: 'withdraw'; attempt: Attempt }
  /** The provider is polled about the attempt (`reports/silent-provider.ts`). */
  | { step: 'poll'; attempt: Attempt; about: DuePoll['about'] }
  /** A receipt that is still to be submitted to the provider. */
  | { step: 'submit_receipt'; attempt: Attempt; receiptId: string }
  /** The ledger's entries for an operation that has ended. */
  | { step: 'post' }
  /** Operators are shown a payout that cost more than agreed (R12.16). */
  | { step: 'record_overcharge' }
  /** The provider is polled until it has ended an attempt (`poll-to-end.ts`). */
  | { step: 'poll_to_end'; attempt: Attempt };

/**
 * Steps whose result may be outside the operation's stream: their caller records that they are
 * done.
 */
const stepsWithoutEvent = ['post', 'record_overcharge', 'poll_to_end'] as const;
type StepWithoutEvent = (typeof stepsWithoutEvent)[number];

/** Whether the result of the step is an event in the stream of the operation. */
export const addsEvent = (
  step: DueStep['step'],
): step is Exclude<DueStep['step'], StepWithoutEvent> =>
  !stepsWithoutEvent.some((each) => each === step);

/** Whether the step polls the provider. */
export const pollsProvider = ({ step }: Pick<DueStep, 'step'>): boolean =>
  step === 'poll' || step === 'poll_to_end';

export type DueSteps = {
  steps: DueStep[];
  /** When the next deadline passes; undefined if there is none. */
  deadlineIso?: string;
  /** A provider has more to report. A callback may get lost, so it is polled after a silence. */
  awaitsReport: boolean;
};

export type StepTimes = PollTimes &
  PollToEnd & {
    /** The newest event is old enough: a request in progress acts first. */
    quiet: boolean;
    done: ReadonlySet<Exclude<StepWithoutEvent, 'poll_to_end'>>;
  };

const nothingDue: DueSteps = { steps: [], awaitsReport: false };

/** The attempts whose providers have more to report, or are polled until they have ended them. */
export function attemptsAwaited(operation: OperationState, polling: PollToEnd): Attempt[] {
  if (operation.phase !== 'admitted') return [];
  const { accepted, status } = operation;
  const open = accepted && !isTerminal(status) ? [accepted.attempt] : [];
  const numbers = new Set([...open, ...attemptsToPollToEnd(operation, polling)]);
  return [...numbers].map((number) => attemptNumbered(operation, number));
}

/**
 * The steps that are due now, and when the next ones may be. Pure. A step can be taken twice, or by
 * two processes at once: each is decided again at its stream's exact revision.
 */
export function dueSteps(operation: OperationState, times: StepTimes): DueSteps {
  if (operation.phase !== 'admitted') return nothingDue;
  const withdrawals = attemptsToWithdraw(operation, times.unsupported).map((number): DueStep => ({
    step: 'withdraw',
    attempt: attemptNumbered(operation, number),
  }));
  const polling = attemptsToPollToEnd(operation, times);
  const polls = (times.silent ? polling : []).map((number): DueStep => ({
    step: 'poll_to_end',
    attempt: attemptNumbered(operation, number),
  }));
  const { steps, ...wait } = isTerminal(operation.status)
    ? { steps: afterTheEnd(operation, times), awaitsReport: false }
    : progress(operation, times);
  return {
    steps: [...steps, ...polls, ...withdrawals],
    ...wait,
    awaitsReport: wait.awaitsReport || polling.length > 0,
  };
}

function afterTheEnd(operation: Operation, { done }: StepTimes): DueStep[] {
  const steps: DueStep[] = [];
  if (!done.has('post') && dueEntries(operation).length > 0) steps.push({ step: 'post' });
  if (!done.has('record_overcharge') && findOvercharge(operation))
    steps.push({ step: 'record_overcharge' });
  return steps;
}

function progress(operation: Operation, times: StepTimes): DueSteps {
  const { status, accepted, acceptUntil } = operation;
  if (status === 'creating') {
    return times.nowIso >= acceptUntil
      ? { steps: [{ step: 'reject' }], awaitsReport: false }
      : { steps: [], deadlineIso: acceptUntil, awaitsReport: false };
  }
  const { poll, windowEndsIso } = findDuePoll(operation, times);
  const steps: DueStep[] = [];
  if (poll)
    steps.push({
      step: 'poll',
      attempt: attemptNumbered(operation, poll.attempt),
      about: poll.about,
    });
  const receiptId = receiptToSubmit(operation);
  if (accepted && receiptId !== undefined && times.quiet)
    steps.push({
      step: 'submit_receipt',
      attempt: attemptNumbered(operation, accepted.attempt),
      receiptId,
    });
  return {
    steps,
    ...(windowEndsIso !== undefined && { deadlineIso: windowEndsIso }),
    awaitsReport: accepted !== undefined || poll !== undefined,
  };
}

function attemptNumbered(operation: Operation, number: number): Attempt {
  const attempt = findAttempt(operation, number);
  if (!attempt) throw new Error(`no attempt ${number}`);
  return attempt;
}
