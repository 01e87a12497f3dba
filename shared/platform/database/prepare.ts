import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { createWaitLog } from '#shared/platform/logging/wait-log.ts';
import { isDatabaseOutage } from './from-database.ts';

type PrepareOptions = {
  logger: Logger;
  signal: AbortSignal;
  againMs?: number;
  now?: () => number;
};

/**
 * Runs `prepare` (migrations), and retries while the database is down or another process migrates,
 * until the signal. True when it is done.
 */
export async function prepareDatabase(
  prepare: () => Promise<void>,
  { logger, signal, againMs = 250, now = () => performance.now() }: PrepareOptions,
): Promise<boolean> {
  const isFault = (error: unknown) => !isDatabaseOutage(error);
  const waiting = createWaitLog('PostgreSQL', { logger, now, isFault });
  while (!signal.aborted) {
    try {
      await prepare();
      return true;
    } catch (error) {
      logger.debug({ err: error }, 'the database could not be prepared yet');
      waiting(error);
      await delay(againMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
}
