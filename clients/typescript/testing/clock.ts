import type { Clock } from '../repeat.ts';

/** A clock that moves only by pauses, with pauses at their longest; it keeps them. */
export function stoppedClock(): Clock & { pausesMs: number[] } {
  let nowMs = 0;
  const pausesMs: number[] = [];
  return {
    pausesMs,
    now: () => nowMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      pausesMs.push(ms);
      nowMs += ms;
    },
    random: () => 1,
  };
}
