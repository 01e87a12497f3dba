import type { Calls } from '#shared/application/operations/run-due-step.ts';

type CallLimits = { perLane: number; total: number };

const firstRetryMs = 500;
const longestRetryMs = 30_000;
/** Retries are spread out instead of coming all at once. */
const spacingMs = 5;

/**
 * Limits the calls in progress in this process: a provider that hangs delays only its own
 * operations.
 */
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
