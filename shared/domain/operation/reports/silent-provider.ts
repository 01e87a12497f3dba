import type { Operation } from '../state.ts';

/** A poll of a provider that did not report by itself, because a callback may get lost (R13.6). */
export type DuePoll = {
  attempt: number;
  /**
   * The payable window ended (`expiry`), no report was received for too long (`silence`), or the
   * outcome of a payout is unknown (`outcome`).
   */
  about: 'expiry' | 'silence' | 'outcome';
};

export type PollTimes = {
  /** The current time: deadlines up to it have passed. */
  nowIso: string;
  /** When the operation got its last event, or its provider last answered about it. */
  lastActivityIso: string;
  /** Whether the last activity was too long ago (`services/processor/due/timings.ts`). */
  silent: boolean;
};

/**
 * The poll that is due for an open operation, and the end of its payment window while that is
 * ahead.
 */
export function findDuePoll(
  operation: Operation,
  { nowIso, lastActivityIso, silent }: PollTimes,
): { poll?: DuePoll; windowEndsIso?: string } {
  const { accepted } = operation;
  if (!accepted) {
    const unresolved = operation.attempts.findLast(({ outcome }) => outcome === 'unresolved');
    // Polled from the start until it answers, not only after a silence (R7.6).
    return unresolved ? { poll: { attempt: unresolved.attempt, about: 'outcome' } } : {};
  }
  // A time that a provider names for a payout ends nothing: only a payment has a window (R6.8).
  const expiresAt = operation.type === 'payment' ? accepted.expiresAt : undefined;
  const open = expiresAt !== undefined && nowIso < expiresAt;
  // Polled once at the window's end, and again after a silence: a receipt may have held it open.
  const ended =
    expiresAt !== undefined && nowIso >= expiresAt && (lastActivityIso < expiresAt || silent);
  const about = ended ? 'expiry' : silent ? 'silence' : undefined;
  return {
    ...(about && { poll: { attempt: accepted.attempt, about } }),
    ...(open && { windowEndsIso: expiresAt }),
  };
}
