import { setTimeout as delay } from 'node:timers/promises';
import { unreadableIn } from '#shared/domain/decode.ts';
import { follow, type EventStore, type StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { Mark, Marks, Place } from '../marks.ts';

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
  /** Whether there is work that an event of this stream opened. */
  isOpen(stream: string): boolean;
  /** Where the work before has ended, from one process to the next; without it, all of the log is read. */
  marks?: Marks | undefined;
  /** Time between two notes of it, milliseconds; for tests. */
  keepMarkEveryMs?: number;
  /** Goes on with what is open. What it throws is logged; the next sweep comes all the same. */
  sweep(): Promise<void>;
};

const defaultKeepMarkEveryMs = 30_000;

/**
 * Goes on, until the signal, with work that commands began and may have died in. What is open is known from the log alone,
 * read from the mark before which nothing is open; nothing is swept before all of it is read, since its end may stand there
 * too. Several processes may do so at once: a sweep's work must come to the same whoever does it, and however often.
 */
export async function finishWhatIsOpen(options: UnfinishedOptions): Promise<void> {
  const { store, logger, signal, name, streamPrefix, everyMs, marks, sweep } = options;
  const { keepMarkEveryMs = defaultKeepMarkEveryMs } = options;
  const caughtUp = Promise.withResolvers<void>();
  const warn = (what: string) => (error: unknown) => logger.warn({ err: error }, `${name} ${what}`);
  const progress = createProgress(options.isOpen);
  const following = follow({
    store,
    filter: { streamPrefixes: [streamPrefix] },
    // The log sends what little there is of it: the process of the merchant API follows nothing else.
    alone: true,
    checkpoint: async () => {
      if (progress.position() === undefined)
        progress.begin(await markIn(store, await marks?.find(streamPrefix)));
      return progress.position();
    },
    handle: async (batch) => {
      for (const item of batch) {
        if (item.kind === 'caught_up') caughtUp.resolve();
        else if (item.kind === 'checkpoint') progress.pass(item.position);
        else progress.take(item.event, keepReadable(options, item.event));
      }
    },
    onError: warn('can not be followed'),
    signal,
  });
  await Promise.race([caughtUp.promise, following]);
  let keptAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    await sweep().catch(warn('could not be finished'));
    const mark = progress.mark();
    if (marks && mark && performance.now() - keptAt >= keepMarkEveryMs) {
      keptAt = performance.now();
      await marks.keep(streamPrefix, mark).catch(warn('could not note how far they are'));
    }
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
  await following;
}

/** What a newer version wrote holds up its own stream, which can't be decided on either, and no other. */
function keepReadable({ keep, logger, name }: UnfinishedOptions, event: StoredEvent): 'read' | 'unreadable' {
  try {
    keep(event);
    return 'read';
  } catch (error) {
    if (!unreadableIn(error)) throw error;
    const { stream, revision } = event;
    logger.error({ err: error, stream, revision }, `${name}: an event can not be read by this version`);
    return 'unreadable';
  }
}

/** How far the log was read, and before where nothing that it opened is open. */
function createProgress(isOpen: (stream: string) => boolean) {
  let position: bigint | undefined;
  let newest: Place | undefined;
  /** Of each stream with open work, where the log stood before its first event. */
  const openedAfter = new Map<string, bigint | undefined>();
  /** Streams that only another version can read: what is open there is for its start to find. */
  const unreadable = new Set<string>();
  const holds = (stream: string) => unreadable.has(stream) || isOpen(stream);

  return {
    position: () => position,
    begin: (mark: Mark | undefined) => {
      position = mark?.position;
      newest = mark?.newest;
    },
    pass: (to: bigint) => {
      position = to;
    },
    take: ({ stream, revision, id, position: at }: StoredEvent, how: 'read' | 'unreadable') => {
      if (how === 'unreadable') unreadable.add(stream);
      if (!holds(stream)) openedAfter.delete(stream);
      else if (!openedAfter.has(stream)) openedAfter.set(stream, position);
      position = at;
      newest = { stream, revision, id };
    },
    /** Nothing while it is the log's start. */
    mark: (): Mark | undefined => {
      let before = position;
      for (const [stream, after] of openedAfter) {
        if (!holds(stream)) openedAfter.delete(stream);
        else if (after === undefined) return undefined;
        else if (before === undefined || after < before) before = after;
      }
      return before === undefined ? undefined : { position: before, newest };
    },
  };
}

/** The mark, if this is the log that it was set in: another one, or an older copy, is read from its start. */
async function markIn(store: EventStore, mark: Mark | undefined): Promise<Mark | undefined> {
  if (!mark) return undefined;
  const { position, newest } = mark;
  // The store answers at all; a refusal after this is of the place that it does not have.
  await store.head();
  const there = await store.readLog({ after: position, maxCount: 1 }).catch(() => ({ gap: true }));
  if (there.gap) return undefined;
  const [event] = newest
    ? await store.read(newest.stream, { fromRevision: newest.revision, maxCount: 1 })
    : [];
  return event?.id === newest?.id ? mark : undefined;
}
