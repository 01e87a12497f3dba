import type { Operation } from '../state.ts';

/**
 * When a provider is asked about an operation because it did not report by itself: a callback may
 * get lost (R13.6).
 */
export type Question = {
  attempt: number;
  /**
   * The payable window ended (`expiry`), no report came for too long (`silence`), or the outcome
   * of a payout was never known (`outcome`).
   */
  about: 'expiry' | 'silence' | 'outcome';
};

export type QuestionTimes = {
  /** Deadlines up to then have passed. */
  nowIso: string;
  /** When the operation got its last event, or its provider last answered about it. */
  lastActivityIso: string;
  /** That was too long ago. */
  silent: boolean;
};

/**
 * The question that is due about an operation that is created and open, and its window's end while
 * ahead.
 */
export function questionDue(
  operation: Operation,
  { nowIso, lastActivityIso, silent }: QuestionTimes,
): { question?: Question; windowEndsIso?: string } {
  const { accepted } = operation;
  if (!accepted) {
    const unresolved = operation.attempts.findLast(({ outcome }) => outcome === 'unresolved');
    // Asked from the start and until it answers, not only after a silence (R7.6).
    return unresolved ? { question: { attempt: unresolved.attempt, about: 'outcome' } } : {};
  }
  // A time that a provider names for a payout ends nothing: only a payment has a window (R6.8).
  const expiresAt = operation.type === 'payment' ? accepted.expiresAt : undefined;
  const open = expiresAt !== undefined && nowIso < expiresAt;
  // Polled once at the window's end, and again after a silence: a receipt may have held it open.
  const ended =
    expiresAt !== undefined && nowIso >= expiresAt && (lastActivityIso < expiresAt || silent);
  const about = ended ? 'expiry' : silent ? 'silence' : undefined;
  return {
    ...(about && { question: { attempt: accepted.attempt, about } }),
    ...(open && { windowEndsIso: expiresAt }),
  };
}
