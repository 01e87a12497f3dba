import type { StreamEvent } from '../storage/log-writer.ts';

/** Takes the written events, in the order of the log. */
export type LiveListener = (events: readonly StreamEvent[]) => void;

export type PacedListener = { readonly take: LiveListener; readonly stop: () => void };

const PACE_MS = 10;
const EARLY_MS = 2;
/** The fractional parts of its multiples are spread evenly, however many there are. */
const GOLDEN_RATIO = 0.618;

/**
 * Calls a listener about every 10 ms, with all events since the last call. Under load there is a
 * commit every millisecond, and each message costs a write here and a wake-up of the subscriber,
 * which is more than its events cost. After a quiet time an event is passed on at once. Each
 * listener is called at its own times, by its `index`: if all were called together, all subscribers
 * would work at the same time, and appends would wait.
 */
export function paceListener(listener: LiveListener, index: number): PacedListener {
  const offsetMs = Math.floor(((index * GOLDEN_RATIO) % 1) * PACE_MS);
  let gathered: StreamEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let calledAt = Number.NEGATIVE_INFINITY;

  /** A timer may fire a millisecond early, so a call time that is this near counts as reached. */
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
