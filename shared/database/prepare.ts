import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#shared/logger.ts';

const againMs = 250;

/**
 * Does `prepare` (migrations) as soon as the database lets it: a start beside it, or an outage, is waited out until the
 * signal. True when it is done.
 */
export async function prepareDatabase(
  prepare: () => Promise<void>,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await prepare();
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'the database could not be prepared yet');
      await delay(againMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
}
