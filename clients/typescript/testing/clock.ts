import type { Clock } from '../repeat.ts';

/** A clock that moves only by pauses of maximum length, which it records. */
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
