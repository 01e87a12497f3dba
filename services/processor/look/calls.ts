/** Too many calls are under way: come back after so many milliseconds. */
export type Busy = { outcome: 'busy'; retryMs: number };

export type Calls = {
  /**
   * What the call brings, or `busy` at once; it never waits for another call to end. `lane`: the provider.
   */
  run<T>(lane: string, call: () => Promise<T>): Promise<T | Busy>;
};

export type CallLimits = { perLane: number; total: number };

const firstRetryMs = 500;
const longestRetryMs = 30_000;
/** Those that are turned away come back one after the other, and not all at once. */
const spacingMs = 5;

/** Bounds the calls under way in this process: a provider that hangs holds up its own work and no other. */
export function createCalls({ perLane, total }: CallLimits, now: () => number): Calls {
  const lanes = new Map<string, { running: number; queueEndsMs: number }>();
  let running = 0;
  return {
    run: async (name, call) => {
      const lane = lanes.get(name) ?? { running: 0, queueEndsMs: 0 };
      lanes.set(name, lane);
      if (lane.running >= perLane || running >= total) {
        const nowMs = now();
        const nextMs = Math.max(lane.queueEndsMs + spacingMs, nowMs + firstRetryMs);
        lane.queueEndsMs = Math.min(nextMs, nowMs + longestRetryMs);
        return { outcome: 'busy', retryMs: lane.queueEndsMs - nowMs };
      }
      lane.running += 1;
      running += 1;
      try {
        return await call();
      } finally {
        lane.running -= 1;
        running -= 1;
      }
    },
  };
}
