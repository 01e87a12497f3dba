import type { EventStore, LogFilter, LogItem, StoredEvent, SubscribeRequest } from './types.ts';
import type { SharedFeedOptions } from './shared-feed.ts';

/** How far a follower has come: all up to there was given to it, or did not match. */
export type Cursor = { position: bigint; caughtUp: boolean };

type Source = Pick<EventStore, 'subscribe' | 'head'>;

const defaultMaxBatch = 500;
/** A follower that is given nothing is told how far the log was read after so many events, and so often. */
const checkpointEvery = 1_000;
const checkpointEveryMs = 2_000;

/** One stretch of the shared subscription, from the log's head to the first error. */
export class FeedRun {
  /** Resolves once it is known where the feed began. */
  readonly begun: Promise<void>;
  /** Followers that read it; the last one that leaves stops it. */
  readers = 0;
  /** Everything up to here has come by. */
  position = 0n;
  /** The newest events, in order: all after `#heldAfter`. */
  #held: StoredEvent[] = [];
  #heldAfter = 0n;
  /** How many events came before the first that is held. */
  #dropped = 0;
  #failure: { error: unknown } | undefined;
  #news = Promise.withResolvers<void>();
  #ticks = 0;
  readonly #stopped = new AbortController();
  readonly #options: Required<SharedFeedOptions>;

  constructor(source: Source, options: Required<SharedFeedOptions>) {
    this.#options = options;
    this.begun = this.#begin(source);
    // Whoever joins is told; the last one may have left meanwhile.
    this.begun.catch(() => undefined);
  }

  get ended(): boolean {
    return this.#failure !== undefined || this.#stopped.signal.aborted;
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Whether all that came after a position can be read here. */
  holds(position: bigint): boolean {
    return position >= this.#heldAfter;
  }

  /**
   * What comes after the cursor, which moves along. Ends with the signal, and where the follower is too slow for what
   * is held. @throws what ended the subscription
   */
  async *read(
    cursor: Cursor,
    { filter, maxBatch = defaultMaxBatch, signal }: SubscribeRequest,
  ): AsyncGenerator<LogItem[]> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      let next = this.#dropped;
      let skipped = 0;
      let ticks = this.#ticks;
      while (!signal.aborted && this.holds(cursor.position)) {
        next = Math.max(next, this.#dropped);
        const items: LogItem[] = [];
        for (; items.length < maxBatch && next < this.#dropped + this.#held.length; next += 1) {
          const event = this.#held[next - this.#dropped];
          if (!event || event.position <= cursor.position) continue;
          cursor.position = event.position;
          skipped += 1;
          if (isWanted(event, filter)) items.push({ kind: 'event', event });
        }
        const isTime = skipped >= checkpointEvery || (skipped > 0 && ticks < this.#ticks);
        if (items.length > 0 || isTime) {
          const last = items.at(-1);
          if (last?.kind !== 'event' || last.event.position < cursor.position)
            items.push({ kind: 'checkpoint', position: cursor.position });
          skipped = 0;
          ticks = this.#ticks;
          yield items;
        } else if (!cursor.caughtUp) {
          cursor.caughtUp = true;
          yield [{ kind: 'caught_up' }];
        } else if (this.#failure) throw this.#failure.error;
        else await this.#news.promise;
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  async #begin(source: Source): Promise<void> {
    try {
      this.position = this.#heldAfter = await source.head();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    void this.#follow(source);
  }

  async #follow(source: Source): Promise<void> {
    const { signal } = this.#stopped;
    const after = this.position === 0n ? {} : { after: this.position };
    const ticking = setInterval(() => {
      this.#ticks += 1;
      this.#wake();
    }, checkpointEveryMs);
    ticking.unref();
    try {
      for await (const batch of source.subscribe({ ...after, signal })) {
        for (const item of batch) if (item.kind === 'event') this.#take(item.event);
        this.#wake();
      }
      this.#fail(new Error('the event store ended the subscription'));
    } catch (error) {
      this.#fail(error);
    } finally {
      clearInterval(ticking);
    }
  }

  #take(event: StoredEvent): void {
    this.position = event.position;
    this.#options.onEvent(event);
    this.#held.push(event);
    const { capacity } = this.#options;
    // In large steps: what stays has to be moved.
    if (this.#held.length < 2 * capacity) return;
    const dropped = this.#held.splice(0, this.#held.length - capacity);
    this.#dropped += dropped.length;
    this.#heldAfter = dropped.at(-1)?.position ?? this.#heldAfter;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  #wake(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}

function isWanted({ stream, type }: StoredEvent, filter: LogFilter | undefined): boolean {
  if (!filter) return true;
  if (filter.exceptTypes?.includes(type)) return false;
  return filter.streamPrefixes.some((prefix) => stream.startsWith(prefix));
}
