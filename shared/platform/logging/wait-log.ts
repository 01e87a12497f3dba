import { errorMessage } from '#shared/platform/error-message.ts';
import type { Logger } from './logger.ts';

/** Processes that start together wait for each other, which is nothing to report before this. */
const firstMs = 10_000;
const repeatMs = 30_000;

/** @returns after 10 s and then every 30 s: the seconds since the start of the wait */
export function createWaitTimer(now = () => performance.now()): () => number | undefined {
  const beganAt = now();
  let dueAt = beganAt + firstMs;
  return () => {
    if (now() < dueAt) return undefined;
    dueAt = now() + repeatMs;
    return Math.round((now() - beganAt) / 1000);
  };
}

type WaitLogOptions = {
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly now?: () => number;
  /** Whether waiting alone may not help. */
  readonly isFault?: (error: unknown) => boolean;
};

/** Logs what a start waits for, after 10 s and then every 30 s, and the reason in one line. */
export function createWaitLog(
  what: string,
  { logger, now, isFault = () => false }: WaitLogOptions,
): (error: unknown) => void {
  const readTimer = createWaitTimer(now);
  return (error) => {
    const waitedS = readTimer();
    if (waitedS === undefined) return;
    const reason = errorMessage(error);
    logger[isFault(error) ? 'warn' : 'info']({ reason, waitedS }, `waiting for ${what}`);
  };
}
