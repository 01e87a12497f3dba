import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#shared/logger.ts';
import type { Claim, DueWork, Verdict } from './due/due-work.ts';
import { retryAfter } from './due/next-look.ts';
import { partsOf } from './due/streams.ts';
import { lookLate } from './look/look-late.ts';
import { look, type LookOptions } from './look/look.ts';

export type WorkerOptions = Omit<LookOptions, 'signal'> & {
  due: Pick<DueWork, 'claim' | 'renew' | 'release'>;
  logger: Logger;
  /** Looks at once. */
  width: number;
  /** After so long without a renewal somebody else looks at what a process held. */
  leaseMs: number;
  /** How often it looks for what has become due, where nothing tells it. */
  pollMs: number;
  signal: AbortSignal;
};

export type Worker = {
  /** Something may be due at once. */
  wake(): void;
  /** Resolves after the signal, when the looks under way have ended. */
  stopped: Promise<void>;
};

const pauseAfterErrorMs = 500;
/** Longer than any look with all its bounds. What takes longer hangs: its lease ends. */
const longestLookMs = 120_000;

/** Looks at the streams that are due, `width` at a time, until the signal. */
export function startWorker(options: WorkerOptions): Worker {
  const { due, logger, width, leaseMs, pollMs, signal } = options;
  const running = new Map<Claim, { looking: Promise<void>; sinceMs: number }>();
  const ended = new AbortController();
  let news = Promise.withResolvers<void>();

  const looks = () => [...running.values()].map(({ looking }) => looking);

  const pause = async () => {
    const rested = new AbortController();
    const over = AbortSignal.any([signal, rested.signal]);
    await Promise.race([news.promise, delay(pollMs, undefined, { signal: over }).catch(() => undefined)]);
    rested.abort();
    news = Promise.withResolvers<void>();
  };

  const run = async () => {
    while (!signal.aborted) {
      try {
        const free = width - running.size;
        const claims = free > 0 ? await due.claim({ limit: free, leaseMs }) : [];
        for (const claim of claims) {
          const looking = lookOnce(options, claim).finally(() => running.delete(claim));
          running.set(claim, { looking, sinceMs: performance.now() });
        }
        if (running.size >= width) await Promise.race(looks());
        else if (claims.length === 0) await pause();
      } catch (error) {
        logger.warn({ err: error }, 'due work could not be claimed');
        await delay(pauseAfterErrorMs, undefined, { signal }).catch(() => undefined);
      }
    }
    await Promise.all(looks());
    ended.abort();
  };

  const keepLeases = async () => {
    while (!ended.signal.aborted) {
      await delay(leaseMs / 4, undefined, { signal: ended.signal }).catch(() => undefined);
      const held = [...running].filter(([, { sinceMs }]) => performance.now() - sinceMs < longestLookMs);
      const claims = held.map(([claim]) => claim);
      if (claims.length > 0)
        await due.renew(claims, leaseMs).catch((error: unknown) => {
          logger.warn({ err: error }, 'leases could not be renewed');
        });
    }
  };

  const stopped = Promise.all([run(), keepLeases()]).then(() => undefined);
  return { wake: () => news.resolve(), stopped };
}

async function lookOnce(options: WorkerOptions, claim: Claim): Promise<void> {
  const { due, logger } = options;
  try {
    const verdict = await lookAt(options, claim).catch((error: unknown) => failedLook(options, claim, error));
    if (verdict.next?.error !== undefined) {
      const { error, tries } = verdict.next;
      logger.warn({ stream: claim.stream, error, tries }, 'a step has to be tried again');
    }
    await due.release(claim, verdict);
  } catch (error) {
    // The lease ends by itself, and somebody looks again.
    logger.warn({ err: error, stream: claim.stream }, 'a look could not be concluded');
  }
}

async function lookAt(options: LookOptions, claim: Claim): Promise<Verdict> {
  const { kind, id } = partsOf(claim.stream);
  return kind === 'late' ? lookLate(options, id, claim) : look(options, id, claim);
}

/** The log could not be read, or holds what this version can't: the stream waits, the others go on. */
function failedLook({ logger, timings, now, random }: WorkerOptions, claim: Claim, error: unknown): Verdict {
  logger.error({ err: error, stream: claim.stream }, 'a stream could not be looked at');
  const { revision, heardAt, asks, tries, done } = claim;
  const dueAt = new Date(now() + retryAfter(tries, timings, random()));
  const message = error instanceof Error ? error.message : String(error);
  return { revision, next: { dueAt, heardAt, asks, tries: tries + 1, done, error: message } };
}
