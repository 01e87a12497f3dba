/**
 * A circuit breaker: skips a provider while most of its answers are unknown, and tries it again
 * with one operation after a pause. Pure: time and outcomes come in. Each process counts only its
 * own calls. Payments and payouts have one each, because one may fail while the other works.
 */
type BreakerPolicy = {
  /** Calls count for one to two of these. */
  windowMs: number;
  /** With fewer calls it stays closed. */
  minCalls: number;
  /** The share of unknown outcomes that opens it, from 0 to 1. */
  openAt: number;
  /** Until one operation tries the provider again. */
  pauseMs: number;
};

export const breakerPolicy: BreakerPolicy = {
  windowMs: 15_000,
  minCalls: 20,
  openAt: 0.8,
  pauseMs: 5_000,
};

type Counts = { calls: number; unknown: number };
export type Breaker =
  | { phase: 'closed'; sinceMs: number; current: Counts; previous: Counts }
  | { phase: 'open'; untilMs: number }
  /** When the trial operation began; another one may try if that has no outcome by then. */
  | { phase: 'trying'; sinceMs: number; untilMs: number };

export type BreakerTurn = { breaker: Breaker; opened?: Counts; closed?: true };

const none: Counts = { calls: 0, unknown: 0 };

export const closedBreaker = (atMs: number): Breaker => ({
  phase: 'closed',
  sinceMs: atMs,
  current: none,
  previous: none,
});

/** Whether an operation may try the provider now. After the pause this claims the one trial. */
export function mayTry(
  breaker: Breaker,
  atMs: number,
  { pauseMs }: BreakerPolicy,
): { may: boolean; breaker: Breaker } {
  if (breaker.phase === 'closed') return { may: true, breaker };
  if (atMs < breaker.untilMs) return { may: false, breaker };
  const sinceMs = breaker.phase === 'trying' ? breaker.sinceMs : atMs;
  return { may: true, breaker: { phase: 'trying', sinceMs, untilMs: atMs + pauseMs } };
}

/** Counts the outcome of a call. */
export function afterCall(
  breaker: Breaker,
  { unknown, beganMs, atMs }: { unknown: boolean; beganMs: number; atMs: number },
  policy: BreakerPolicy,
): BreakerTurn {
  // A call that began before it opened doesn't count, nor does it speak for the one that tries.
  if (breaker.phase === 'open') return { breaker };
  if (breaker.phase === 'trying' && beganMs < breaker.sinceMs) return { breaker };
  const open: Breaker = { phase: 'open', untilMs: atMs + policy.pauseMs };
  if (breaker.phase === 'trying')
    return unknown ? { breaker: open } : { breaker: closedBreaker(atMs), closed: true };
  const rolled = roll(breaker, atMs, policy);
  const { calls, unknown: before } = rolled.current;
  const current = { calls: calls + 1, unknown: before + (unknown ? 1 : 0) };
  const counts = {
    calls: current.calls + rolled.previous.calls,
    unknown: current.unknown + rolled.previous.unknown,
  };
  const opens =
    unknown && counts.calls >= policy.minCalls && counts.unknown >= counts.calls * policy.openAt;
  return opens ? { breaker: open, opened: counts } : { breaker: { ...rolled, current } };
}

/** The current window, with the one before it. */
function roll(
  breaker: Extract<Breaker, { phase: 'closed' }>,
  atMs: number,
  { windowMs }: BreakerPolicy,
) {
  const age = atMs - breaker.sinceMs;
  if (age < windowMs) return breaker;
  const previous = age < 2 * windowMs ? breaker.current : none;
  return { phase: 'closed' as const, sinceMs: atMs, current: none, previous };
}
