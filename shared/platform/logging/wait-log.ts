import type { Logger } from './logger.ts';

/** Processes that start together wait for each other, which is nothing to report before this. */
const firstMs = 10_000;
const repeatMs = 30_000;

type WaitLogOptions = {
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly now?: () => number;
  /** Whether waiting alone may not help. */
  readonly isFault?: (error: unknown) => boolean;
};

/** Logs what a start waits for, after 10 s and then every 30 s, and the reason in one line. */
export function createWaitLog(
  what: string,
  { logger, now = () => performance.now(), isFault = () => false }: WaitLogOptions,
): (error: unknown) => void {
  const beganAt = now();
  let dueAt = beganAt + firstMs;
  return (error) => {
    if (now() < dueAt) return;
    dueAt = now() + repeatMs;
    const waitedS = Math.round((now() - beganAt) / 1000);
    logger[isFault(error) ? 'warn' : 'info'](
      { reason: error instanceof Error ? error.message : String(error), waitedS },
      `waiting for ${what}`,
    );
  };
}
