import type { Logger } from '#shared/platform/logging/logger.ts';
import type { DueQueue, DueRow, Verdict } from './due/due-queue.ts';
import { retryAfter } from './due/next-look.ts';
import { partsOf } from './due/streams.ts';
import { lookLate } from './look/look-late.ts';
import { look, type LookOptions } from './look/look.ts';

export type WorkerOptions = Omit<LookOptions, 'signal'> & {
  queue: DueQueue;
  /** Whether the log was read far enough to know what is due. */
  mayLook(): boolean;
  logger: Logger;
  /** Looks at once. */
  width: number;
  signal: AbortSignal;
};

export type Worker = {
  /** Something may be due at once. */
  wake(): void;
  /** Resolves after the signal, when the looks under way have ended. */
  stopped: Promise<void>;
};

/** Timers of Node take no more. */
const longestPauseMs = 60_000;

/** Looks at the streams that are due, `width` at a time, until the signal. */
export function startWorker(options: WorkerOptions): Worker {
  const { queue, mayLook, width, now, signal } = options;
  const running = new Set<Promise<void>>();
  let news = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => news.resolve(), { once: true });

  const pause = async () => {
    const dueInMs = mayLook() && running.size < width ? queue.nextDueMs() - now() : longestPauseMs;
    const timer = setTimeout(() => news.resolve(), Math.max(0, Math.min(dueInMs, longestPauseMs)));
    if (!signal.aborted) await news.promise;
    clearTimeout(timer);
    news = Promise.withResolvers<void>();
  };

  const run = async () => {
    while (!signal.aborted) {
      const claims = mayLook() ? queue.claim(width - running.size, now()) : [];
      for (const claim of claims) {
        const looking: Promise<void> = lookOnce(options, claim).finally(() => {
          running.delete(looking);
          news.resolve();
        });
        running.add(looking);
      }
      await pause();
    }
    await Promise.all(running);
  };

  return { wake: () => news.resolve(), stopped: run() };
}

async function lookOnce(options: WorkerOptions, claim: DueRow): Promise<void> {
  const { queue, logger } = options;
  const verdict = await lookAt(options, claim).then(
    (looked) => {
      const { error, tries } = looked.next ?? {};
      if (error !== undefined)
        logger.warn({ stream: claim.stream, error, tries }, 'a step has to be tried again');
      return looked;
    },
    (error: unknown) => failedLook(options, claim, error),
  );
  queue.release(claim, verdict);
}

/** @throws where the store that was read has less than is known to be: a replica that lags, or a log that was restored */
async function lookAt(options: LookOptions, claim: DueRow): Promise<Verdict> {
  const { kind, id } = partsOf(claim.stream);
  const verdict = await (kind === 'late' ? lookLate(options, id, claim) : look(options, id, claim));
  if (verdict.revision < claim.revision)
    throw new Error(`the stream was read up to revision ${verdict.revision}, and has ${claim.revision}`);
  return verdict;
}

/** The log could not be read, or holds what this version can't: the stream waits, the others go on. */
function failedLook({ logger, timings, now, random }: WorkerOptions, claim: DueRow, error: unknown): Verdict {
  logger.error({ err: error, stream: claim.stream }, 'a stream could not be looked at');
  const { revision, heardMs, asks, tries, done } = claim;
  const dueMs = now() + retryAfter(tries, timings, random());
  const message = error instanceof Error ? error.message : String(error);
  return { revision, next: { dueMs, heardMs, asks, tries: tries + 1, done, error: message } };
}
