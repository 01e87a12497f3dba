import type { EventStoreDBClient } from '@eventstore/db-client';
import type { AppendAttempt } from './audit.ts';
import { events } from './store.ts';

/**
 * The client never answers an append that is cut at the wrong moment: this wait is long
 * enough.
 */
const patienceMs = 6000;

const withinPatience = async <T>(promise: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), patienceMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

type AppenderOptions = {
  client: EventStoreDBClient;
  /**
   * The appender's own stream: appends at the exact revision. Every fourth append goes to the
   * shared one instead.
   */
  stream: string;
  shared: string;
  isOver: () => boolean;
  /** Called before the append is sent. */
  onAttempt: (attempt: AppendAttempt) => void;
  onAcknowledged: () => void;
};

/**
 * Appends one to three events at a time, one append after the other, until it is over or an append
 * fails; returns how that one failed. The attempts know their outcome.
 */
export const keepAppending = async (
  work: AppenderOptions,
): Promise<(Error & { code?: number }) | undefined> => {
  let revision: bigint | undefined;
  for (let n = 0; !work.isOver(); n += 1) {
    const isOwn = n % 4 !== 3;
    const attempt: AppendAttempt = {
      stream: isOwn ? work.stream : work.shared,
      expected: isOwn ? (revision ?? 'no_stream') : 'any',
      batch: events(1 + (n % 3)),
      outcome: 'unknown',
    };
    work.onAttempt(attempt);
    try {
      const { nextExpectedRevision, position } = await withinPatience(
        work.client.appendToStream(attempt.stream, attempt.batch, {
          expectedRevision: attempt.expected,
        }),
      );
      if (!position) throw new Error('acknowledged without a position');
      attempt.outcome = { revision: nextExpectedRevision, position: position.commit };
      if (isOwn) revision = nextExpectedRevision;
      work.onAcknowledged();
    } catch (error) {
      return error as Error;
    }
  }
  return undefined;
};
