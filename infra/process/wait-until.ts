import { createAlarm, type Alarm } from '#shared/platform/alarm.ts';

type WaitOptions = {
  readonly timeoutMs: number;
  readonly intervalMs?: number;
  /** Ends pauses between checks early. */
  readonly alarm?: Alarm;
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal;
};

/**
 * Polls until the check is true.
 * @throws after `timeoutMs`, with what was waited for; with the signal's reason when it is aborted.
 */
export async function waitUntil(
  what: string,
  check: () => Promise<boolean> | boolean,
  { timeoutMs, intervalMs = 20, alarm = createAlarm(), signal }: WaitOptions,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    if (await check()) return;
    if (performance.now() >= deadline) throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
    await alarm.sleep(intervalMs);
  }
}
