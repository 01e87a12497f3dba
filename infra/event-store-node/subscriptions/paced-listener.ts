import type { WrittenEvent } from '../storage/log-writer.ts';
import type { LiveListener } from './live-listener.ts';

export type PacedListener = { readonly take: LiveListener; readonly stop: () => void };

const PACE_MS = 10;
const EARLY_MS = 2;
/**
 * Its multiples, without their whole part, lie apart as evenly as can be, however many there are.
 */
const GOLDEN_RATIO = 0.618;

/**
 * Calls a listener about each 10 ms, with all that it was given: under load there is a commit each
 * millisecond, and each message costs a write here and a wake-up of the subscriber, more than the
 * events in it. What comes after a quiet time is passed on at once. Each listener has moments of
 * its own, by its `index`: called together, all subscribers would work at once, and appends would
 * wait for that.
 */
export function paceListener(listener: LiveListener, index: number): PacedListener {
  const offsetMs = Math.floor(((index * GOLDEN_RATIO) % 1) * PACE_MS);
  let gathered: WrittenEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let calledAt = Number.NEGATIVE_INFINITY;

  /** A timer may be early by a millisecond: a moment that is as near is the one that it was for. */
  function untilNextMoment(now: number): number {
    const waitMs = PACE_MS - ((now - offsetMs + PACE_MS) % PACE_MS);
    return waitMs < EARLY_MS ? waitMs + PACE_MS : waitMs;
  }

  function call(): void {
    const events = gathered;
    gathered = [];
    timer = undefined;
    calledAt = performance.now();
    listener(events);
  }

  return {
    take(events) {
      for (const event of events) gathered.push(event);
      if (timer !== undefined) return;
      const now = performance.now();
      if (now - calledAt >= PACE_MS) call();
      else timer = setTimeout(call, untilNextMoment(now));
    },
    stop: () => clearTimeout(timer),
  };
}
