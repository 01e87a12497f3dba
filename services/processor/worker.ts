import type { Logger } from '#shared/platform/logging/logger.ts';
import { errorMessage } from '#shared/platform/error-message.ts';
import type { DueQueue, DueRow, WorkResult } from './due/due-queue.ts';
import { retryAfter } from './due/timings.ts';
import { parseStreamName } from './due/streams.ts';
import { workOnLate } from './work/work-on-late.ts';
import { workOnOperation, type WorkOptions } from './work/work-on-operation.ts';

export type ProcessorWorkerOptions = Omit<WorkOptions, 'signal'> & {
  queue: DueQueue;
  /** Whether the log was read far enough to know what is due. */
  isCaughtUp(): boolean;
  logger: Logger;
  /** Streams that are worked on at the same time. */
  width: number;
  signal: AbortSignal;
};

type Worker = {
  /** Something may be due at once. */
  wake(): void;
  /** Resolves after the signal, when the work in progress has ended. */
  stopped: Promise<void>;
};

/** Far below what Node's timers can hold: a longer timeout than 24.8 days fires at once. */
const longestPauseMs = 60_000;

/** Works on the streams that are due, `width` at a time, until the signal. */
export function startProcessorWorker(options: ProcessorWorkerOptions): Worker {
  const { queue, isCaughtUp, width, now, signal } = options;
  const running = new Set<Promise<void>>();
  let changed = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => changed.resolve(), { once: true });

  const pause = async () => {
    const dueInMs =
      isCaughtUp() && running.size < width ? queue.nextDueMs() - now() : longestPauseMs;
    const timer = setTimeout(
      () => changed.resolve(),
      Math.max(0, Math.min(dueInMs, longestPauseMs)),
    );
    if (!signal.aborted) await changed.promise;
    clearTimeout(timer);
    changed = Promise.withResolvers<void>();
  };

  const run = async () => {
    while (!signal.aborted) {
      const claims = isCaughtUp() ? queue.claim(width - running.size, now()) : [];
      for (const claim of claims) {
        const work: Promise<void> = runOnce(options, claim).finally(() => {
          running.delete(work);
          changed.resolve();
        });
        running.add(work);
      }
      await pause();
    }
    await Promise.all(running);
  };

  return { wake: () => changed.resolve(), stopped: run() };
}

async function runOnce(options: ProcessorWorkerOptions, claim: DueRow): Promise<void> {
  const { queue, logger } = options;
  const verdict = await workOn(options, claim).then(
    (result) => {
      const { failure: error, next } = result;
      if (error !== undefined)
        logger.warn(
          { stream: claim.stream, error, tries: next?.tries },
          'a step failed and will be retried',
        );
      return result;
    },
    (error: unknown) => failed(options, claim, error),
  );
  queue.release(claim, verdict);
}

/**
 * @throws if the store returns less than was seen before: a replica that lags, or a log that was
 * restored
 */
async function workOn(options: WorkOptions, claim: DueRow): Promise<WorkResult> {
  const { kind, id } = parseStreamName(claim.stream);
  const verdict = await (kind === 'late'
    ? workOnLate(options, id, claim)
    : workOnOperation(options, id, claim));
  if (verdict.revision < claim.revision)
    throw new Error(
      `the stream was read up to revision ${verdict.revision}, and has ${claim.revision}`,
    );
  return verdict;
}

/**
 * The log could not be read, or has an event that this version can't read: this stream waits, the
 * others continue.
 */
function failed(
  { logger, timings, now, random }: ProcessorWorkerOptions,
  claim: DueRow,
  error: unknown,
): WorkResult {
  logger.error({ err: error, stream: claim.stream }, 'work on a stream failed');
  const { revision, lastActivityMs, pollsWithoutChange, tries, done } = claim;
  const dueMs = now() + retryAfter(tries, timings, random());
  const message = errorMessage(error);
  return {
    revision,
    next: { dueMs, lastActivityMs, pollsWithoutChange, tries: tries + 1, done, error: message },
  };
}
