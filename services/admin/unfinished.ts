import { setTimeout as delay } from 'node:timers/promises';
import { unreadableIn } from '#shared/domain/decode.ts';
import { follow, type EventStore, type StoredEvent } from '#shared/event-store/index.ts';
import type { Logger } from '#shared/logger.ts';

export type UnfinishedOptions = {
  store: EventStore;
  logger: Logger;
  signal: AbortSignal;
  /** What is looked at, as a warning names it. */
  name: string;
  /** Of which streams it is told. */
  streamPrefix: string;
  /** Time between two sweeps, milliseconds. */
  everyMs: number;
  /** Takes in an event of those streams: it opens, changes or ends a piece of work. */
  keep(event: StoredEvent): void;
  /** Goes on with what is open. What it throws is logged; the next sweep comes all the same. */
  sweep(): Promise<void>;
};

/**
 * Goes on, until the signal, with work that commands began and may have died in. What is open is known from the log alone,
 * read from its start; nothing is swept before all of it is read, since its end may stand there too. Several processes
 * may do so at once: a sweep's work must come to the same whoever does it, and however often.
 */
export async function finishWhatIsOpen(options: UnfinishedOptions): Promise<void> {
  const { store, logger, signal, name, streamPrefix, everyMs, sweep } = options;
  const caughtUp = Promise.withResolvers<void>();
  let position: bigint | undefined;
  const following = follow({
    store,
    filter: { streamPrefixes: [streamPrefix] },
    checkpoint: async () => position,
    handle: async (batch) => {
      for (const item of batch) {
        if (item.kind === 'caught_up') {
          caughtUp.resolve();
          continue;
        }
        if (item.kind === 'event') keepReadable(options, item.event);
        position = item.kind === 'event' ? item.event.position : item.position;
      }
    },
    onError: (error) => logger.warn({ err: error }, `${name} can not be followed`),
    signal,
  });
  await Promise.race([caughtUp.promise, following]);
  while (!signal.aborted) {
    await sweep().catch((error: unknown) => logger.warn({ err: error }, `${name} could not be finished`));
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
  await following;
}

/** What a newer version wrote holds up its own stream, which can't be decided on either, and no other. */
function keepReadable({ keep, logger, name }: UnfinishedOptions, event: StoredEvent): void {
  try {
    keep(event);
  } catch (error) {
    if (!unreadableIn(error)) throw error;
    const { stream, revision } = event;
    logger.error({ err: error, stream, revision }, `${name}: an event can not be read by this version`);
  }
}
