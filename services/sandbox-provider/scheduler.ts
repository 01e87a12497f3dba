import type { Logger } from '#shared/platform/logging/logger.ts';
import { createTimerAlarm } from './alarm.ts';
import { decide } from './attempt/acceptance.ts';
import { isSubmitted, type SandboxContext, type SubmittedAttempt } from './attempt/record.ts';
import { returnByItself } from './attempt/returns.ts';
import { autopilot, expireAttempt } from './attempt/settlement.ts';
import type { TimerKind } from './attempt/timers.ts';
import type { SandboxDependencies } from './sandbox.ts';

const batch = 200;

const changes: Record<
  TimerKind,
  (record: SubmittedAttempt, now: SandboxContext) => SubmittedAttempt
> = {
  decide,
  expire: (record) => expireAttempt(record),
  autopilot,
  return: returnByItself,
};

type Scheduler = { poke(): void; stop(): void };

/** Runs due timers. They are stored, so that those due while the process was down run first. */
export function createScheduler(
  { memory, save, waiters, context }: SandboxDependencies,
  logger: Logger,
): Scheduler {
  const alarm = createTimerAlarm(run, logger);

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
          // A caller that still waits gets the decision as its response, and no callback.
          const report =
            kind !== 'decide' || (waiters.count(key) === 0 && after.acceptance !== 'received');
          save({ before, after }, { nowMs: now.nowMs, report });
        }
      });
      for (const { key, kind } of due) if (kind === 'decide') waiters.wake(key);
    }
    setAlarm();
  }

  function setAlarm() {
    const [next] = memory.timers.next(1);
    if (next) alarm.within(next.dueMs - context().nowMs);
  }

  return { poke: setAlarm, stop: () => alarm.stop() };
}
