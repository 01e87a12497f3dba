import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#shared/platform/logging/logger.ts';

/** At a common start the database is not there yet, so failures are warnings only after this. */
const startUpMs = 10_000;

/**
 * Runs `prepare` (migrations), and retries while the database is down or another process migrates,
 * until the signal. True when it is done.
 */
export async function prepareDatabase(
  prepare: () => Promise<void>,
  { logger, signal, againMs = 250 }: { logger: Logger; signal: AbortSignal; againMs?: number },
): Promise<boolean> {
  const beganAt = performance.now();
  while (!signal.aborted) {
    try {
      await prepare();
      return true;
    } catch (error) {
      const level = performance.now() - beganAt < startUpMs ? 'debug' : 'warn';
      logger[level]({ err: error }, 'the database could not be prepared yet');
      await delay(againMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
}
