import type { Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import {
  recordAttempts,
  type FinishedAttempt,
  type RetryRules,
  type Written,
} from './record-attempts.ts';
import { recordDeliveries } from './record-deliveries.ts';

export type AttemptWriter = {
  /** Resolves once it is committed; undefined if the message is gone or the writer was stopped. */
  write(attempt: FinishedAttempt): Promise<Written | undefined>;
};

const maxBatch = 500;
const retryPauseMs = 250;
/**
 * After a write it pauses ten times as long as the write took: a single attempt is written at once,
 * and those that end meanwhile are written together. After a crash, messages from this period may
 * be sent again.
 */
const [restFactor, longestRestMs] = [10, 25];

type Attempts = readonly FinishedAttempt[];
type Record = (attempts: Attempts) => Promise<Map<string, Written>>;
type PendingWrite = { attempt: FinishedAttempt; done: (written: Written | undefined) => void };
type WriterPorts = { logger: Logger; signal: AbortSignal };

/**
 * Writes attempts in batches: one transaction for all that ended since the last one began,
 * deliveries apart from the others. While PostgreSQL is down it buffers them and retries, so that
 * delivered messages are not sent again. The lanes limit their number.
 */
export function createAttemptWriter({
  db,
  retry,
  ...ports
}: WriterPorts & { db: Kysely<WebhooksDatabase>; retry: RetryRules }): AttemptWriter {
  const deliveries = new Batches((attempts) => recordDeliveries(db, attempts), ports);
  const others = new Batches((attempts) => recordAttempts(db, attempts, retry), ports);
  return {
    write: async (attempt) => {
      if (attempt.outcome.kind !== 'delivered') return others.write(attempt);
      // Another dispatcher has claimed it since, or it is unknown whether it was written.
      return (await deliveries.write(attempt)) ?? others.write(attempt);
    },
  };
}

class Batches {
  readonly #record: Record;
  readonly #ports: WriterPorts;
  #waiting: PendingWrite[] = [];
  #writing = false;

  constructor(record: Record, ports: WriterPorts) {
    this.#record = record;
    this.#ports = ports;
  }

  write(attempt: FinishedAttempt): Promise<Written | undefined> {
    return new Promise((done) => {
      this.#waiting.push({ attempt, done });
      if (!this.#writing) void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, maxBatch);
      this.#waiting = this.#waiting.slice(maxBatch);
      const beganAt = performance.now();
      const attempts = batch.map(({ attempt }) => attempt);
      const written = await recordUntilWritten(attempts, this.#record, this.#ports);
      for (const { attempt, done } of batch) done(written?.get(attempt.messageId));
      if (this.#waiting.length < maxBatch)
        await this.#pause((performance.now() - beganAt) * restFactor);
    }
    this.#writing = false;
  }

  #pause(ms: number): Promise<void> {
    const { signal } = this.#ports;
    return delay(Math.min(ms, longestRestMs), undefined, { signal }).catch(() => undefined);
  }
}

/** Undefined if the signal ended it. */
async function recordUntilWritten(
  attempts: Attempts,
  record: Record,
  ports: WriterPorts,
): Promise<Map<string, Written> | undefined> {
  const { logger, signal } = ports;
  for (;;) {
    try {
      return await record(attempts);
    } catch (error) {
      if (isRefusal(error)) return recordSeparately(attempts, record, { ...ports, error });
      logger.warn(
        { err: error, attempts: attempts.length },
        'attempts could not be written, trying again',
      );
      if (signal.aborted) return undefined;
      await delay(retryPauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** An attempt that PostgreSQL always refuses must not block the others. */
async function recordSeparately(
  attempts: Attempts,
  record: Record,
  { error, ...ports }: WriterPorts & { error: unknown },
) {
  if (attempts.length === 1) {
    const [{ messageId } = { messageId: '' }] = attempts;
    const { code } = error as { code?: unknown };
    ports.logger.error({ code, messageId }, 'an attempt can not be written');
    return undefined;
  }
  const written = new Map<string, Written>();
  for (const attempt of attempts) {
    const one = (await recordUntilWritten([attempt], record, ports))?.get(attempt.messageId);
    if (one) written.set(attempt.messageId, one);
  }
  return written;
}

/** SQLSTATE classes 22 and 23: the data is wrong, so a retry can't help. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^2[23][0-9A-Z]{3}$/.test(code);
}
