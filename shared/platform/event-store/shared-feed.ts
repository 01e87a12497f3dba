import { FeedRun, type FeedCursor, type SharedFeedOptions, type FeedSource } from './feed-run.ts';
import type { LogItem, StoredEvent, SubscribeRequest } from './types.ts';

const defaultCapacity = 5_000;

/**
 * One subscription to the log for all followers of a process: an event is sent, read and decoded
 * once, however many followers there are. A follower catches up with its own subscription, and
 * joins once the feed holds all events after it. Only positions decide this, because the two
 * subscriptions may read from different servers, and one server may be behind the other.
 */
export class SharedFeed {
  readonly #source: FeedSource;
  readonly #options: Required<SharedFeedOptions>;
  #run: FeedRun | undefined;

  constructor(source: FeedSource, options: SharedFeedOptions = {}) {
    this.#source = source;
    this.#options = {
      capacity: defaultCapacity,
      lasting: [],
      onEvent: () => undefined,
      ...options,
    };
  }

  /** As `EventStore.subscribe`. */
  async *subscribe(request: SubscribeRequest): AsyncGenerator<LogItem[]> {
    const { after, sparse, signal } = request;
    const cursor: FeedCursor = { position: after, caughtUp: false };
    let run = after === undefined || sparse ? undefined : this.#holding(after);
    while (!signal.aborted) {
      if (run) {
        try {
          // Ends if the follower needs an event that the feed no longer holds.
          yield* run.read(cursor, request);
        } finally {
          run.leave();
        }
      }
      run = yield* this.#catchUp(cursor, request);
    }
    run?.leave();
  }

  /** The events after a position, if the feed holds all of them; otherwise none. */
  after(position: bigint): readonly StoredEvent[] {
    return this.#run?.after(position) ?? [];
  }

  /**
   * Reads with its own subscription until the feed holds all later events. Even if a filter passes
   * no event, the store's checkpoints bring it near the head, much nearer than the feed's capacity:
   * otherwise it could never join the feed that it starts.
   */
  async *#catchUp(
    cursor: FeedCursor,
    request: SubscribeRequest,
  ): AsyncGenerator<LogItem[], FeedRun | undefined> {
    const { after: _after, ...rest } = request;
    const from = cursor.position === undefined ? {} : { after: cursor.position };
    for await (const batch of this.#source.subscribe({ ...rest, ...from })) {
      cursor.position = lastPosition(batch) ?? cursor.position;
      cursor.caughtUp ||= batch.some(({ kind }) => kind === 'caught_up');
      yield batch;
      if (!cursor.caughtUp || cursor.position === undefined) continue;
      const run =
        this.#holding(cursor.position) ??
        (request.sparse ? undefined : this.#begin(cursor.position));
      if (run) return run;
    }
    return undefined;
  }

  /** Joins the feed, if it holds all events after a position. */
  #holding(position: bigint): FeedRun | undefined {
    return this.#run?.join(position) ? this.#run : undefined;
  }

  /** Starts a feed, if there is none: the first follower that has caught up does. */
  #begin(position: bigint): FeedRun | undefined {
    if (this.#run && !this.#run.ended) return undefined;
    this.#run = new FeedRun(this.#source, position, this.#options);
    return this.#holding(position);
  }
}

function lastPosition(batch: readonly LogItem[]): bigint | undefined {
  const last = batch.findLast((item) => item.kind !== 'caught_up');
  if (!last) return undefined;
  return last.kind === 'event' ? last.event.position : last.position;
}
