import type { Logger } from '#shared/platform/logging/logger.ts';

/** The longest timer, because the clock of the due times may be set meanwhile. */
const longestSleepMs = 60_000;
const afterErrorMs = 1_000;

type Alarm = { within(inMs: number): void; stop(): void };

/**
 * Calls back at the earliest of the times that it was set for. Setting a later time changes
 * nothing, so that repeated settings can't delay it for ever.
 */
export function createTimerAlarm(run: () => void, logger: Logger): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let setForMs = Infinity;
  let stopped = false;
  const alarm: Alarm = {
    within(inMs) {
      const sleepMs = Math.min(Math.max(inMs, 0), longestSleepMs);
      const atMs = performance.now() + sleepMs;
      if (stopped || atMs >= setForMs) return;
      clearTimeout(timer);
      setForMs = atMs;
      timer = setTimeout(() => {
        setForMs = Infinity;
        try {
          run();
        } catch (error) {
          logger.error({ err: error }, 'due work failed');
          alarm.within(afterErrorMs);
        }
      }, sleepMs);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
  return alarm;
}
