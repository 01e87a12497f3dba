/** A sleep that can be ended early: a call while nothing sleeps ends the next sleep. */
type Alarm = {
  /** Sleeps for at most this many milliseconds; not at all when that is 0 or less. */
  sleep(ms: number): Promise<void>;
  ring(): void;
};

export function createAlarm(): Alarm {
  let rung = false;
  let end: (() => void) | undefined;
  return {
    sleep: async (ms) => {
      if (!rung && ms > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
      end = undefined;
    },
    ring: () => {
      rung = true;
      end?.();
    },
  };
}
