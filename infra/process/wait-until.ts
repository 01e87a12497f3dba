type WaitOptions = {
  /** For ever, if absent. */
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
  /** Ends pauses between checks early; see `createPause`. */
  readonly alarm?: Alarm;
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal;
};

type Alarm = {
  readonly sleep: (ms: number) => Promise<void>;
  /** Ends the current sleep. */
  readonly ring: () => void;
};

/** A pause that can be ended early. */
export function createPause(): Alarm {
  let ring = () => undefined as void;
  return {
    sleep: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        ring = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    ring: () => ring(),
  };
}

/**
 * Polls until the check is true.
 * @throws after `timeoutMs`, with what was waited for; with the signal's reason when it is aborted.
 */
export async function waitUntil(
  what: string,
  check: () => Promise<boolean> | boolean,
  {
    timeoutMs = Number.POSITIVE_INFINITY,
    intervalMs = 20,
    alarm = createPause(),
    signal,
  }: WaitOptions,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    if (await check()) return;
    if (performance.now() >= deadline) throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
    await alarm.sleep(intervalMs);
  }
}
