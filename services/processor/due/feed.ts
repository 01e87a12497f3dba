import { setTimeout as delay } from 'node:timers/promises';
import { follow, type EventStore, type LogItem } from '#shared/event-store/index.ts';
import type { Logger } from '#shared/logger.ts';
import type { DueWork, FeedSession } from './due-work.ts';
import type { Timings } from './next-look.ts';
import { streamPrefixes } from './streams.ts';

export type FeedOptions = {
  due: Pick<DueWork, 'whileFeeding'>;
  store: EventStore;
  timings: Timings;
  logger: Logger;
  /** Called when there may be work that is due at once. */
  onNews(): void;
  signal: AbortSignal;
};

const standbyMs = 500;
/** Each batch is a transaction: under load, twenty a second are enough. */
const lingerMs = 50;

/** Reads the log into the table of due work, while no other process does; the others stand by. */
export async function runFeed(options: FeedOptions): Promise<void> {
  const { due, logger, signal } = options;
  while (!signal.aborted) {
    try {
      await due.whileFeeding((session) => feed(session, options));
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error }, 'the feed lost its connection to the database');
    }
    await delay(standbyMs, undefined, { signal }).catch(() => undefined);
  }
}

async function feed(session: FeedSession, options: FeedOptions): Promise<void> {
  const { store, timings, logger } = options;
  let from: bigint | undefined;
  let caughtUp = false;
  await follow({
    store,
    filter: { streamPrefixes },
    lingerMs,
    checkpoint: async () => {
      caughtUp = false;
      from = await session.position();
      return from;
    },
    handle: async (batch) => {
      caughtUp ||= batch.some(({ kind }) => kind === 'caught_up');
      const to = endOf(batch) ?? from;
      if (to === undefined) return;
      await session.keep({ batch, from, to, caughtUp, timings });
      from = to;
      options.onNews();
    },
    onError: (error) => logger.warn({ err: error }, 'the feed is interrupted'),
    signal: AbortSignal.any([options.signal, session.lost]),
  });
}

function endOf(batch: readonly LogItem[]): bigint | undefined {
  const last = batch.findLast((item) => item.kind !== 'caught_up');
  if (!last) return undefined;
  return last.kind === 'event' ? last.event.position : last.position;
}
