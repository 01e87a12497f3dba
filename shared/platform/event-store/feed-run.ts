import type { EventStore, LogFilter, LogItem, StoredEvent, SubscribeRequest } from './types.ts';

/** How far a follower has come: all up to there was given to it, or did not match. */
export type Cursor = { position: bigint | undefined; caughtUp: boolean };

export type Source = Pick<EventStore, 'subscribe'>;

export type SharedFeedOptions = {
  /**
   * Events that are kept for slower followers; one that falls further behind reads on by itself.
   */
  capacity?: number;
  /** Called with each event of the log, once, before any follower is given it. */
  onEvent?(event: StoredEvent): void;
};

const defaultMaxBatch = 500;
/** A follower without matching events gets a checkpoint after so many events, and so often. */
const checkpointEvery = 1_000;
const checkpointEveryMs = 2_000;

/**
 * One stretch of the shared subscription, from a position to the first error, or until nobody reads
 * it any more.
 */
export class FeedRun {
  #readers = 0;
  /** The newest events, in order: all after `#heldAfter`. */
  #held: StoredEvent[] = [];
  #heldAfter: bigint;
  /** How many events came before the first buffered one. */
  #dropped = 0;
  #failure: { error: unknown } | undefined;
  #news = Promise.withResolvers<void>();
  #ticks = 0;
  readonly #stopped = new AbortController();
  readonly #options: Required<SharedFeedOptions>;

  constructor(source: Source, after: bigint, options: Required<SharedFeedOptions>) {
    this.#options = options;
    this.#heldAfter = after;
    void this.#follow(source, after);
  }

  get ended(): boolean {
    return this.#failure !== undefined || this.#stopped.signal.aborted;
  }

  /**
   * Whether all that came after a position can be read here; a follower that gets true reads it
   * here, and leaves.
   */
  join(position: bigint): boolean {
    if (this.ended || position < this.#heldAfter) return false;
    this.#readers += 1;
    return true;
  }

  /** What it holds after a position; nothing where it does not hold all of that. */
  after(position: bigint): readonly StoredEvent[] {
    if (this.ended || position < this.#heldAfter) return [];
    return this.#held.slice(this.#held.findLastIndex((event) => event.position <= position) + 1);
  }

  /** The last one that leaves ends it. */
  leave(): void {
    this.#readers -= 1;
    if (this.#readers === 0) this.#stopped.abort();
  }

  /**
   * What comes after the cursor, which moves along. Ends with the signal, and where the follower is
   * too slow for what is held. @throws what ended the subscription
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
      let { position = this.#heldAfter } = cursor;
      while (!signal.aborted && position >= this.#heldAfter) {
        next = Math.max(next, this.#dropped);
        const items: LogItem[] = [];
        for (; items.length < maxBatch && next < this.#dropped + this.#held.length; next += 1) {
          const event = this.#held[next - this.#dropped];
          if (!event || event.position <= position) continue;
          cursor.position = position = event.position;
          skipped += 1;
          if (isWanted(event, filter)) items.push({ kind: 'event', event });
        }
        const isTime = skipped >= checkpointEvery || (skipped > 0 && ticks < this.#ticks);
        if (items.length > 0 || isTime) {
          const last = items.at(-1);
          if (last?.kind !== 'event' || last.event.position < position)
            items.push({ kind: 'checkpoint', position });
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

  async #follow(source: Source, after: bigint): Promise<void> {
    const { signal } = this.#stopped;
    const ticking = setInterval(() => {
      this.#ticks += 1;
      this.#wake();
    }, checkpointEveryMs);
    ticking.unref();
    try {
      for await (const batch of source.subscribe({ after, signal })) {
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
