/**
 * How long to rest on the way through the log, so that it is read evenly and not in a burst: `speed` seconds of it in one, or as
 * many as it takes to be through within `everyMs`.
 *
 * @param until where the way ends, in milliseconds of the clock that the events were written by
 */
export function createPace({ until, everyMs, speed }: { until: number; everyMs: number; speed: number }) {
  let start: { created: number; at: number } | undefined;
  return {
    /** Milliseconds to rest after the events that were just dealt with. */
    restMs(events: readonly { created: Date }[], now = performance.now()): number {
      const [first, last] = [events.at(0), events.at(-1)];
      if (!first || !last) return 0;
      start ??= { created: first.created.getTime(), at: now };
      const needed = Math.max(speed, (until - start.created) / everyMs);
      const due = start.at + (last.created.getTime() - start.created) / needed;
      return Math.max(0, due - now);
    },
  };
}
