import { FeedRun, type Cursor, type SharedFeedOptions, type Source } from './feed-run.ts';
import type { LogItem, StoredEvent, SubscribeRequest } from './types.ts';

const defaultCapacity = 5_000;

/**
 * One subscription to the log for all followers of a process: an event is sent, read and decoded
 * once, however many follow. A follower catches up by a subscription of its own, and joins where
 * the feed holds all that comes after it. Positions alone decide: the server that a subscription
 * reads from may be behind the one that another reads from.
 */
export class SharedFeed {
  readonly #source: Source;
  readonly #options: Required<SharedFeedOptions>;
  #run: FeedRun | undefined;

  constructor(source: Source, options: SharedFeedOptions = {}) {
    this.#source = source;
    this.#options = { capacity: defaultCapacity, onEvent: () => undefined, ...options };
  }

  /** As `EventStore.subscribe`. */
  async *subscribe(request: SubscribeRequest): AsyncGenerator<LogItem[]> {
    const { after, little, signal } = request;
    const cursor: Cursor = { position: after, caughtUp: false };
    let run = after === undefined || little ? undefined : this.#holding(after);
    while (!signal.aborted) {
      if (run) {
        try {
          // Ends where the follower has fallen behind what the feed holds.
          yield* run.read(cursor, request);
        } finally {
          run.leave();
        }
      }
      run = yield* this.#catchUp(cursor, request);
    }
    run?.leave();
  }

  /** What the feed holds after a position, where it holds all of that. */
  after(position: bigint): readonly StoredEvent[] {
    return this.#run?.after(position) ?? [];
  }

  /** Reads by a subscription of its own, until the feed holds all that comes after. */
  async *#catchUp(
    cursor: Cursor,
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
        (request.little ? undefined : this.#begin(cursor.position));
      if (run) return run;
    }
    return undefined;
  }

  /** The feed that holds all after a position, joined. */
  #holding(position: bigint): FeedRun | undefined {
    return this.#run?.join(position) ? this.#run : undefined;
  }

  /** The first follower that has caught up begins a feed. */
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
