import { isWanted, passedItem } from './checkpoint.ts';
import type { EventStore, LogItem, StoredEvent, SubscribeRequest } from './types.ts';

/** A follower's position: all matching events up to it were delivered. */
export type FeedCursor = { position: bigint | undefined; caughtUp: boolean };

export type FeedSource = Pick<EventStore, 'subscribe'>;

export type SharedFeedOptions = {
  /**
   * How many events are buffered for slower followers. A follower further behind reads with its own
   * subscription.
   */
  capacity?: number;
  /** Prefixes of the streams that are never deleted or truncated; none by default. */
  lasting?: readonly string[];
  /** Called once with each event of the log, before any follower gets it. */
  onEvent?(event: StoredEvent): void;
};

const defaultMaxBatch = 500;
/**
 * A follower without matching events gets a checkpoint at least this often, in events and in time.
 */
const checkpointEvery = 1_000;
const checkpointEveryMs = 2_000;

/**
 * One run of the shared subscription: from a position until its first error, or until its last
 * follower leaves.
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

  constructor(source: FeedSource, after: bigint, options: Required<SharedFeedOptions>) {
    this.#options = options;
    this.#heldAfter = after;
    void this.#follow(source, after);
  }

  get ended(): boolean {
    return this.#failure !== undefined || this.#stopped.signal.aborted;
  }

  /**
   * Whether all events after a position are buffered. A follower that gets true has joined: it must
   * read, and then leave.
   */
  join(position: bigint): boolean {
    if (this.ended || position < this.#heldAfter) return false;
    this.#readers += 1;
    return true;
  }

  /** The events after a position, if all of them are here; otherwise none. */
  after(position: bigint): readonly StoredEvent[] {
    if (this.ended || position < this.#heldAfter) return [];
    return this.#held.slice(this.#held.findLastIndex((event) => event.position <= position) + 1);
  }

  /** Ends this run when the last follower has left. */
  leave(): void {
    this.#readers -= 1;
    if (this.#readers === 0) this.#stopped.abort();
  }

  /**
   * Yields the items after the cursor, and moves the cursor. Ends with the signal, and if the
   * follower needs an event that is no longer buffered. @throws what ended the subscription
   */
  async *read(
    cursor: FeedCursor,
    { filter, maxBatch = defaultMaxBatch, signal }: SubscribeRequest,
  ): AsyncGenerator<LogItem[]> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      let next = this.#dropped;
      let skipped = 0;
      let ticks = this.#ticks;
      let passed: StoredEvent | undefined;
      let { position = this.#heldAfter } = cursor;
      while (!signal.aborted && position >= this.#heldAfter) {
        next = Math.max(next, this.#dropped);
        const items: LogItem[] = [];
        for (; items.length < maxBatch && next < this.#dropped + this.#held.length; next += 1) {
          const event = this.#held[next - this.#dropped];
          if (!event || event.position <= position) continue;
          passed = event;
          cursor.position = position = event.position;
          skipped += 1;
          if (isWanted(event, filter)) items.push({ kind: 'event', event });
        }
        const isTime = skipped >= checkpointEvery || (skipped > 0 && ticks < this.#ticks);
        if (items.length > 0 || isTime) {
          const last = items.at(-1);
          if (passed && (last?.kind !== 'event' || last.event.position < position))
            items.push(passedItem(passed, position, this.#options.lasting));
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

  async #follow(source: FeedSource, after: bigint): Promise<void> {
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
    // In large steps, because the remaining events have to be moved each time.
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
