import { nextTry } from '../pace/schedule.ts';

/** The outcome of an attempt, as far as it decides what happens to the message. */
export type AttemptOutcome =
  | { kind: 'delivered' }
  | { kind: 'failed'; retryAfterMs?: number | undefined }
  /** The endpoint is gone and was disabled: the message waits until it is enabled again. */
  | { kind: 'gone' }
  /** There was no attempt. */
  | { kind: 'released' };

/** The state of a message when the outcome of an attempt is written. */
export type PendingMessage = {
  claimToken: string | null;
  attemptCount: number;
  roundStart: number;
  nudged: boolean;
};

export type Next =
  /** Another dispatcher has claimed the message since: its attempt decides. */
  | { status: 'unchanged' }
  | { status: 'delivered' }
  | { status: 'exhausted' }
  | { status: 'pending'; delayMs: number; holdMs: number; roundStart: number };

/** The next state of a message after an attempt (R14.6). Pure; `random` from 0 up to 1. */
export function afterAttempt(
  message: PendingMessage,
  attempt: { token: string; outcome: AttemptOutcome },
  retry: { scheduleMs: readonly number[]; random: () => number },
): Next {
  const { outcome } = attempt;
  if (message.claimToken !== attempt.token) return { status: 'unchanged' };
  const { roundStart } = message;
  switch (outcome.kind) {
    case 'delivered':
      return { status: 'delivered' };
    case 'released':
      return { status: 'pending', delayMs: 0, holdMs: 0, roundStart };
    case 'gone':
      // It does not use up a delay of the schedule: the message is not the reason.
      return { status: 'pending', delayMs: 0, holdMs: 0, roundStart: roundStart + 1 };
    case 'failed': {
      const tries = message.attemptCount + 1 - roundStart;
      const timing = nextTry(
        { tries, retryAfterMs: outcome.retryAfterMs },
        retry.scheduleMs,
        retry.random,
      );
      if (!timing) return { status: 'exhausted' };
      // A newer message was recorded during the attempt: it must not wait for an old retry.
      const delayMs = message.nudged ? timing.holdMs : timing.delayMs;
      return { status: 'pending', delayMs, holdMs: timing.holdMs, roundStart };
    }
  }
}
