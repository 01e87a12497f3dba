import type { Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { recordAttempts, type FinishedAttempt, type RetryRules, type Written } from './record-attempts.ts';
import { recordDeliveries } from './record-deliveries.ts';

export type AttemptWriter = {
  /** Resolves once it is committed; nothing when the message is gone, or when the writer was given up. */
  write(attempt: FinishedAttempt): Promise<Written | undefined>;
};

const maxBatch = 500;
const retryPauseMs = 250;
/**
 * After a write it rests, ten times as long as that took: a lone attempt is written at once, and what ends meanwhile is
 * written together. So long may an endpoint that has taken a message get it again after a crash.
 */
const [restFactor, longestRestMs] = [10, 25];

type Record = (attempts: readonly FinishedAttempt[]) => Promise<Map<string, Written>>;
type Waiting = { attempt: FinishedAttempt; done: (written: Written | undefined) => void };

/**
 * Writes attempts together: one transaction for all that ended since the last one began, deliveries apart from the
 * others. While PostgreSQL is away it keeps them and tries again, so that an endpoint does not get again what it has
 * taken. Their number is bounded by what the lanes hold.
 */
export function createAttemptWriter(options: {
  db: Kysely<WebhooksDatabase>;
  retry: RetryRules;
  logger: Logger;
  signal: AbortSignal;
}): AttemptWriter {
  const { db, retry, logger, signal } = options;

  const untilWritten = async (
    attempts: readonly FinishedAttempt[],
    record: Record,
  ): Promise<Map<string, Written> | undefined> => {
    for (;;) {
      try {
        return await record(attempts);
      } catch (error) {
        if (isRefusal(error)) return apart(attempts, record, error);
        logger.warn({ err: error, attempts: attempts.length }, 'attempts could not be written, trying again');
        if (signal.aborted) return undefined;
        await delay(retryPauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  };

  /** One attempt that PostgreSQL will never take must not keep the others from it. */
  const apart = async (attempts: readonly FinishedAttempt[], record: Record, error: unknown) => {
    if (attempts.length === 1) {
      const [{ messageId } = { messageId: '' }] = attempts;
      logger.error({ code: (error as { code?: unknown }).code, messageId }, 'an attempt can not be written');
      return undefined;
    }
    const written = new Map<string, Written>();
    for (const attempt of attempts) {
      const one = (await untilWritten([attempt], record))?.get(attempt.messageId);
      if (one) written.set(attempt.messageId, one);
    }
    return written;
  };

  const rest = (ms: number) =>
    delay(Math.min(ms, longestRestMs), undefined, { signal }).catch(() => undefined);

  const inBatches = (record: Record) => {
    let waiting: Waiting[] = [];
    let writing = false;
    const flush = async () => {
      writing = true;
      while (waiting.length > 0) {
        const batch = waiting.slice(0, maxBatch);
        waiting = waiting.slice(maxBatch);
        const beganAt = performance.now();
        const written = await untilWritten(
          batch.map(({ attempt }) => attempt),
          record,
        );
        for (const { attempt, done } of batch) done(written?.get(attempt.messageId));
        if (waiting.length < maxBatch) await rest((performance.now() - beganAt) * restFactor);
      }
      writing = false;
    };
    return (attempt: FinishedAttempt) =>
      new Promise<Written | undefined>((done) => {
        waiting.push({ attempt, done });
        if (!writing) void flush();
      });
  };

  const deliveries = inBatches((attempts) => recordDeliveries(db, attempts));
  const others = inBatches((attempts) => recordAttempts(db, attempts, retry));
  return {
    write: async (attempt) => {
      if (attempt.outcome.kind !== 'delivered') return others(attempt);
      // Another dispatcher has claimed it meanwhile, or it is not known whether it was written.
      return (await deliveries(attempt)) ?? others(attempt);
    },
  };
}

/** SQLSTATE classes 22 and 23: the data is at fault, and will be the next time. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^2[23][0-9A-Z]{3}$/.test(code);
}
