/**
 * How long to pause while reading the log, so that it is read evenly: `speed` seconds of it in one
 * second, or as many as needed to finish within `everyMs`.
 *
 * @param until the end of the pass, in milliseconds of the clock of the events
 */
export function createPace({
  until,
  everyMs,
  speed,
}: {
  until: number;
  everyMs: number;
  speed: number;
}) {
  let start: { created: number; at: number } | undefined;
  return {
    /** Milliseconds to pause after the events that were just checked. */
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
