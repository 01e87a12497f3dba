import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isWanted } from './checkpoint.ts';
import { SharedFeed } from './shared-feed.ts';
import type { LogItem, StoredEvent, SubscribeRequest } from './types.ts';

/** A log in memory that counts its subscriptions and can end them. */
class MemoryLog {
  readonly events: StoredEvent[] = [];
  /** Subscriptions that are open now. */
  subscriptions = 0;
  broken = 0;
  #changed = Promise.withResolvers<void>();

  append(stream: string, type = 'Happened'): void {
    const position = BigInt(this.events.length + 1);
    this.events.push({ stream, type, position } as StoredEvent);
    this.#wake();
  }

  /** Ends all open subscriptions, as a store that goes down does. */
  cut(): void {
    this.broken += 1;
    this.#wake();
  }

  async *subscribe(request: SubscribeRequest) {
    this.subscriptions += 1;
    try {
      yield* this.#read(request);
    } finally {
      this.subscriptions -= 1;
    }
  }

  async *#read({ after = 0n, filter, maxBatch = 500, signal }: SubscribeRequest) {
    const { broken } = this;
    signal.addEventListener('abort', () => this.#wake());
    let next = Number(after);
    let live = false;
    while (!signal.aborted) {
      if (this.broken > broken) throw new Error('cut');
      const some = this.events.slice(next, next + maxBatch);
      next += some.length;
      const wanted = some.filter((event) => isWanted(event, filter));
      if (wanted.length > 0) yield wanted.map((event): LogItem => ({ kind: 'event', event }));
      // Like a store: without checkpoints a follower would keep restarting at a position that the
      // feed no longer holds.
      const [last, end] = [wanted.at(-1), some.at(-1)];
      if (!live && end && last !== end)
        yield [{ kind: 'checkpoint', position: end.position }] satisfies LogItem[];
      if (next < this.events.length) continue;
      if (!live) yield [{ kind: 'caught_up' }] satisfies LogItem[];
      live = true;
      if (next === this.events.length && !signal.aborted) await this.#changed.promise;
    }
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

type Follower = {
  prefix: string;
  received: bigint[];
  checkpoints: bigint[];
  caughtUp: number;
  errors: number;
  stop(): Promise<void>;
};

type FollowerOptions = { prefix: string; after?: bigint; slowMs?: number; sparse?: boolean };

/** Follows as `follow` does: from its checkpoint, again after an error. */
function startFollower(
  feed: SharedFeed,
  { prefix, after, slowMs = 0, sparse = false }: FollowerOptions,
): Follower {
  const stopped = new AbortController();
  const follower: Follower = {
    prefix,
    received: [],
    checkpoints: [],
    caughtUp: 0,
    errors: 0,
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
  let at = after;
  const running = (async () => {
    while (!stopped.signal.aborted) {
      try {
        const filter = { streamPrefixes: [prefix] };
        const from = at === undefined ? {} : { after: at };
        const request = { ...from, filter, sparse, signal: stopped.signal };
        for await (const batch of feed.subscribe(request)) {
          for (const item of batch) {
            if (item.kind === 'event') follower.received.push((at = item.event.position));
            if (item.kind === 'caught_up') follower.caughtUp += 1;
            if (item.kind === 'checkpoint') follower.checkpoints.push((at = item.position));
          }
          if (slowMs > 0) await delay(slowMs);
        }
      } catch {
        follower.errors += 1;
      }
    }
  })();
  return follower;
}

const until = async (condition: () => boolean) => {
  for (let round = 0; round < 2_000 && !condition(); round += 1) await delay(1);
  expect(condition()).toBe(true);
};

const expected = (log: MemoryLog, prefix: string, after = 0n) =>
  log.events
    .filter(({ stream, position }) => stream.startsWith(prefix) && position > after)
    .map(({ position }) => position);

describe('shared feed', () => {
  it('uses one subscription for all live followers', async () => {
    const log = new MemoryLog();
    const feed = new SharedFeed(log);
    const followers = ['a-', 'b-', ''].map((prefix) => startFollower(feed, { prefix, after: 0n }));
    await until(() => log.subscriptions === 1);
    for (const stream of ['a-1', 'b-1', 'a-2']) log.append(stream);
    await until(() =>
      followers.every(({ prefix, received }) => received.length === expected(log, prefix).length),
    );
    expect(followers.map(({ received }) => received)).toEqual([[1n, 3n], [2n], [1n, 2n, 3n]]);
    expect(log.subscriptions).toBe(1);
    expect(followers.map(({ caughtUp }) => caughtUp)).toEqual([1, 1, 1]);
    await Promise.all(followers.map(({ stop }) => stop()));
  });

  it('lets a follower catch up from an older position by itself, then join', async () => {
    const log = new MemoryLog();
    for (let index = 0; index < 20; index += 1) log.append('a-1');
    const feed = new SharedFeed(log);
    const follower = startFollower(feed, { prefix: 'a-', after: 5n });
    await until(() => follower.received.length === 15);
    log.append('a-1');
    await until(() => follower.received.length === 16);
    expect(follower.received).toEqual(expected(log, 'a-', 5n));
    await until(() => log.subscriptions === 1);
    await follower.stop();
    await until(() => log.subscriptions === 0);
  });

  it('lets a follower join that has no events in a long log', async () => {
    const log = new MemoryLog();
    for (let index = 0; index < 20; index += 1) log.append('b-1');
    const feed = new SharedFeed(log, { capacity: 4 });
    const follower = startFollower(feed, { prefix: 'a-', after: 0n });
    await until(() => follower.caughtUp === 1 && log.subscriptions === 1);
    log.append('a-1');
    await until(() => feed.after(20n).length === 1 && follower.received.length === 1);
    expect(follower.received).toEqual([21n]);
    await follower.stop();
  });

  it('sends checkpoints to a follower without events', async () => {
    const log = new MemoryLog();
    const feed = new SharedFeed(log);
    const follower = startFollower(feed, { prefix: 'a-', after: 0n });
    await until(() => log.subscriptions === 1);
    for (let index = 0; index < 2_500; index += 1) log.append('b-1');
    await until(() => follower.checkpoints.length > 0);
    expect(follower.received).toEqual([]);
    await follower.stop();
  });

  it('is not started by a sparse follower, which joins it once it is started', async () => {
    const log = new MemoryLog();
    log.append('a-1');
    const feed = new SharedFeed(log);
    const sparse = startFollower(feed, { prefix: 'a-', sparse: true });
    await until(() => sparse.received.length === 1);
    log.append('b-1');
    log.append('a-1');
    await until(() => sparse.received.length === 2);
    expect(feed.after(0n)).toEqual([]);
    const other = startFollower(feed, { prefix: 'b-', after: 0n });
    await until(() => other.caughtUp === 1);
    log.append('b-1');
    await until(() => feed.after(3n).length === 1);
    expect(log.subscriptions).toBe(2);
    log.append('a-1');
    await until(() => log.subscriptions === 1);
    log.append('a-2');
    await until(() => sparse.received.length === 4);
    expect(sparse.received).toEqual(expected(log, 'a-'));
    await Promise.all([sparse, other].map(({ stop }) => stop()));
  });

  it('returns the events after a position only if it holds all of them', async () => {
    const log = new MemoryLog();
    for (let index = 0; index < 3; index += 1) log.append('a-1');
    const feed = new SharedFeed(log, { capacity: 2 });
    const after = (position: bigint) => feed.after(position).map((event) => event.position);
    expect(after(0n)).toEqual([]);
    const follower = startFollower(feed, { prefix: 'a-', after: 0n });
    await until(() => follower.caughtUp > 0 && log.subscriptions === 1);
    for (let index = 0; index < 3; index += 1) log.append('b-1');
    await until(() => after(3n).length === 3);
    expect([after(2n), after(5n), after(6n)]).toEqual([[], [6n], []]);
    log.append('b-1');
    // Now it holds only the newest two.
    await until(() => after(5n).length === 2);
    expect(after(4n)).toEqual([]);
    await follower.stop();
  });

  it('passes the error of the subscription to all followers, then subscribes again', async () => {
    const log = new MemoryLog();
    const feed = new SharedFeed(log);
    const followers = ['a-', 'b-'].map((prefix) => startFollower(feed, { prefix, after: 0n }));
    await until(() => log.subscriptions === 1);
    log.append('a-1');
    log.cut();
    for (const stream of ['a-2', 'b-1']) log.append(stream);
    await until(() =>
      followers.every(({ prefix, received }) => received.length === expected(log, prefix).length),
    );
    expect(followers.map(({ errors }) => errors)).toEqual([1, 1]);
    await Promise.all(followers.map(({ stop }) => stop()));
  });

  it('delivers all events once and in order to slow, late and interrupted followers', async () => {
    const step = fc.oneof(
      {
        weight: 10,
        arbitrary: fc.record({ do: fc.constant('append'), stream: fc.constantFrom('a-1', 'b-1') }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant('follow'), slowMs: fc.constantFrom(0, 3) }),
      },
      { weight: 1, arbitrary: fc.constant({ do: 'cut' as const }) },
      { weight: 4, arbitrary: fc.constant({ do: 'wait' as const }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80 }), async (steps) => {
        const log = new MemoryLog();
        const feed = new SharedFeed(log, { capacity: 4 });
        const followers: Follower[] = [];
        for (const each of steps) {
          if (each.do === 'append' && 'stream' in each) log.append(each.stream);
          if (each.do === 'cut') log.cut();
          if (each.do === 'wait') await delay(1);
          if (each.do === 'follow' && 'slowMs' in each)
            followers.push(
              startFollower(feed, {
                prefix: followers.length % 2 ? 'a-' : 'b-',
                slowMs: each.slowMs,
              }),
            );
        }
        await until(() =>
          followers.every(
            ({ prefix, received }) => received.length >= expected(log, prefix).length,
          ),
        );
        await Promise.all(followers.map(({ stop }) => stop()));
        for (const { prefix, received } of followers)
          expect(received).toEqual(expected(log, prefix));
      }),
      { numRuns: 30 },
    );
  });
});
