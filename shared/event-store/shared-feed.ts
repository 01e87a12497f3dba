import { FeedRun, type Cursor } from './feed-run.ts';
import type { EventStore, LogItem, StoredEvent, SubscribeRequest } from './types.ts';

export type SharedFeedOptions = {
  /** Events that are kept for slower followers; one that falls further behind reads on by itself. */
  capacity?: number;
  /** Called with each event of the log, once, before any follower is given it. */
  onEvent?(event: StoredEvent): void;
};

const defaultCapacity = 5_000;

/**
 * One subscription to the log for all followers of a process: an event is sent, read and decoded once, however many
 * follow. A follower that comes from an older place catches up by a subscription of its own, and then joins.
 */
export class SharedFeed {
  readonly #source: Pick<EventStore, 'subscribe' | 'head'>;
  readonly #options: Required<SharedFeedOptions>;
  #run: FeedRun | undefined;

  constructor(source: Pick<EventStore, 'subscribe' | 'head'>, options: SharedFeedOptions = {}) {
    this.#source = source;
    this.#options = { capacity: defaultCapacity, onEvent: () => undefined, ...options };
  }

  /** As `EventStore.subscribe`. */
  async *subscribe(request: SubscribeRequest): AsyncGenerator<LogItem[]> {
    let { after } = request;
    let caughtUp = false;
    while (!request.signal.aborted) {
      const run = this.#join();
      try {
        await run.begun;
        if (after === undefined || !run.holds(after)) {
          // What came before this subscription began is given by it: at least what the feed had passed by then.
          const passed = run.position;
          for await (const batch of catchUp(this.#source, request, after)) {
            after = lastPosition(batch) ?? after;
            yield batch;
          }
          if (after === undefined || after < passed) after = passed;
          caughtUp = true;
        }
        const cursor: Cursor = { position: after, caughtUp };
        // Ends where the follower has fallen behind what the feed holds: it then catches up again.
        yield* run.read(cursor, request);
        ({ position: after, caughtUp } = cursor);
      } finally {
        this.#leave(run);
      }
    }
  }

  #join(): FeedRun {
    if (!this.#run || this.#run.ended) this.#run = new FeedRun(this.#source, this.#options);
    this.#run.readers += 1;
    return this.#run;
  }

  #leave(run: FeedRun): void {
    run.readers -= 1;
    if (run.readers === 0) run.stop();
  }
}

/** All that was in the log when it began, and no more. */
async function* catchUp(
  source: Pick<EventStore, 'subscribe'>,
  request: SubscribeRequest,
  after: bigint | undefined,
): AsyncGenerator<LogItem[]> {
  const { after: _, ...rest } = request;
  for await (const batch of source.subscribe(after === undefined ? rest : { ...rest, after })) {
    yield batch;
    if (batch.some(({ kind }) => kind === 'caught_up')) return;
  }
}

function lastPosition(batch: readonly LogItem[]): bigint | undefined {
  const last = batch.findLast((item) => item.kind !== 'caught_up');
  if (!last) return undefined;
  return last.kind === 'event' ? last.event.position : last.position;
}
