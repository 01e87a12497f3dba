import type { Logger } from '#shared/platform/logging/logger.ts';
import { errorMessage } from '#shared/platform/error-message.ts';

type Options = {
  /** Works on the due steps that this process knows, until the signal. */
  work(lost: AbortSignal): Promise<void>;
  outageMs: number;
  logger: Pick<Logger, 'warn' | 'info'>;
  now(): number;
};

/** Continues due work from this process's memory while the store of due work does not answer. */
export function workWithoutStore({ work, outageMs, logger, now }: Options) {
  let failingSinceMs: number | undefined;
  let everAnswered = false;
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
    /** The store did not answer; once it has failed for `outageMs`, the work begins. */
    failed: (error: unknown): void => {
      failingSinceMs ??= now();
      if (running || now() - failingSinceMs < outageMs) return;
      // A store that has not answered yet may be starting, as this process is.
      logger[everAnswered ? 'warn' : 'info'](
        { reason: errorMessage(error) },
        'due work can not be saved: it continues from the memory of this process',
      );
      const ended = new AbortController();
      running = { ended, done: run(ended.signal) };
    },
    /** The store answers again; resolves when the work without it has ended. */
    end: async (): Promise<void> => {
      failingSinceMs = undefined;
      everAnswered = true;
      if (!running) return;
      const { ended, done } = running;
      ended.abort();
      await done;
      running = undefined;
      logger.info('due work is saved again');
    },
  };
}
