import type { Logger } from '#shared/platform/logging/logger.ts';

type Options = {
  /** Works on the due steps that this process knows, until the signal. */
  work(lost: AbortSignal): Promise<void>;
  outageMs: number;
  logger: Pick<Logger, 'warn' | 'info'>;
  now(): number;
};

/** Due work about money continues while the store of due work does not answer. */
export function workWithoutStore({ work, outageMs, logger, now }: Options) {
  let failingSinceMs: number | undefined;
  let running: { ended: AbortController; done: Promise<void> } | undefined;

  const run = async (lost: AbortSignal) => {
    try {
      await work(lost);
    } catch (error) {
      logger.warn({ err: error }, 'due work failed while its store was unavailable');
      running = undefined;
    }
  };

  return {
    /** The store does not answer; after some time of that the work begins. */
    failed: (error: unknown): void => {
      failingSinceMs ??= now();
      if (running || now() - failingSinceMs < outageMs) return;
      logger.warn(
        { err: error },
        'due work can not be saved: it continues from the memory of this process',
      );
      const ended = new AbortController();
      running = { ended, done: run(ended.signal) };
    },
    /** The store answers: resolves when the work without it has ended. */
    end: async (): Promise<void> => {
      failingSinceMs = undefined;
      if (!running) return;
      const { ended, done } = running;
      ended.abort();
      await done;
      running = undefined;
      logger.info('due work is saved again');
    },
  };
}
