import type { Logger } from '#shared/logger.ts';
import { decide } from './attempt/acceptance.ts';
import { isSubmitted, type Context, type Submitted } from './attempt/record.ts';
import { autopilot, expire } from './attempt/settlement.ts';
import type { TimerKind } from './attempt/timers.ts';
import type { SandboxDependencies } from './sandbox.ts';

const batch = 200;
const longestSleepMs = 60_000;

const changes: Record<TimerKind, (record: Submitted, now: Context) => Submitted> = {
  decide,
  expire: (record) => expire(record),
  autopilot,
};

export type Scheduler = { poke(): void; stop(): void };

/** Does what is due by itself. The due times are rows, so what fell due while the process was away is done first. */
export function createScheduler(
  { memory, save, waiters, context }: Omit<SandboxDependencies, 'poke'>,
  { logger, onReport }: { logger: Logger; onReport: () => void },
): Scheduler {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function run() {
    const now = context();
    const due = memory.timers.next(batch).filter(({ dueMs }) => dueMs <= now.nowMs);
    if (due.length > 0) {
      memory.transaction(() => {
        for (const { key, kind } of due) {
          memory.timers.clear(key, kind);
          const before = memory.attempts.get(key);
          if (!before || !isSubmitted(before)) continue;
          const after = changes[kind](before, now);
          // A caller that still waits gets the decision as its answer.
          const report = kind !== 'decide' || (waiters.count(key) === 0 && after.acceptance !== 'received');
          save({ before, after }, { nowMs: now.nowMs, report });
        }
      });
      for (const { key, kind } of due) if (kind === 'decide') waiters.wake(key);
      onReport();
    }
    const [next] = memory.timers.next(1);
    if (next) arm(next.dueMs - context().nowMs);
  }

  function arm(inMs: number) {
    clearTimeout(timer);
    if (stopped) return;
    const sleepMs = Math.min(Math.max(inMs, 0), longestSleepMs);
    timer = setTimeout(() => {
      try {
        run();
      } catch (error) {
        logger.error({ err: error }, 'what was due could not be done');
        arm(1000);
      }
    }, sleepMs);
  }

  return {
    poke: () => {
      const [next] = memory.timers.next(1);
      if (next) arm(next.dueMs - context().nowMs);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
