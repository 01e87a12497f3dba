import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { follow } from './follow.ts';
import type { EventStore, LogItem, StoredEvent } from './types.ts';

const batchOf = (size: number): LogItem[] =>
  Array.from({ length: size }, (_, position) => ({ kind: 'checkpoint', position: BigInt(position) }));

/** Follows a log of these batches; gives when each was handled, in milliseconds since the first. */
async function handledAt(
  batches: readonly LogItem[][],
  rest: { times: number; longestMs: number },
): Promise<number[]> {
  const stop = new AbortController();
  const times: number[] = [];
  await follow({
    store: {
      subscribe: async function* () {
        yield* batches;
      },
    } as Partial<EventStore> as EventStore,
    checkpoint: async () => undefined,
    maxBatch: 10,
    rest,
    handle: async () => {
      times.push(performance.now());
      await delay(10);
      if (times.length === batches.length) stop.abort();
    },
    onError: (error) => times.push(Number.NaN, String(error).length),
    signal: stop.signal,
  });
  return times.map((time) => time - (times[0] ?? 0));
}

const caughtUp: LogItem[] = [{ kind: 'caught_up' }];

it('rests after a batch that was not full for a multiple of its time, so that the next gathers more', async () => {
  const rest = { times: 6, longestMs: 10_000 };
  const [, second = 0, third = 0] = await handledAt([caughtUp, batchOf(10), batchOf(1)], rest);
  expect(second).toBeGreaterThanOrEqual(65);
  expect(third - second).toBeLessThan(60);
});

it('rests no longer than it may', async () => {
  const [, second = 0] = await handledAt([caughtUp, batchOf(1)], { times: 10_000, longestMs: 50 });
  expect(second).toBeGreaterThanOrEqual(55);
  expect(second).toBeLessThan(5_000);
});

it('does not rest while it catches up', async () => {
  const rest = { times: 1_000, longestMs: 5_000 };
  const [, second = 0, third = 0] = await handledAt([batchOf(1), batchOf(1), caughtUp], rest);
  expect(Math.max(second, third)).toBeLessThan(5_000);
});

it('does not rest once it is told to stop', async () => {
  const startedAt = performance.now();
  await handledAt([caughtUp], { times: 1_000_000, longestMs: 60_000 });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

/** Follows a filtered log that ends at 900 until all batches were handled; gives where it was told that it stands. */
async function placesOf(batches: readonly LogItem[][], after?: bigint): Promise<(bigint | 'caught_up')[]> {
  const stop = new AbortController();
  const places: (bigint | 'caught_up')[] = [];
  let handled = 0;
  const failures: unknown[] = [];
  await follow({
    store: {
      head: async () => 900n,
      subscribe: async function* () {
        yield* batches;
      },
    } as Partial<EventStore> as EventStore,
    checkpoint: async () => after,
    filter: { streamPrefixes: ['shop-'] },
    handle: async (batch) => {
      for (const item of batch)
        places.push(
          item.kind === 'caught_up' ? item.kind : item.kind === 'event' ? item.event.position : item.position,
        );
      handled += 1;
      if (handled === batches.length) stop.abort();
    },
    onError: (error) => failures.push(error),
    signal: stop.signal,
  });
  expect(failures).toEqual([]);
  return places;
}

const eventAt = (position: bigint): LogItem => ({ kind: 'event', event: { position } as StoredEvent });

it('knows the end of the log for passed once it has caught up, whatever matched', async () => {
  expect(await placesOf([caughtUp])).toEqual([900n, 'caught_up']);
  expect(await placesOf([[eventAt(100n)], caughtUp, [eventAt(950n)]])).toEqual([
    100n,
    900n,
    'caught_up',
    950n,
  ]);
});

it('never goes back behind what it has handled', async () => {
  expect(await placesOf([[eventAt(900n), ...caughtUp]])).toEqual([900n, 'caught_up']);
  expect(await placesOf([[eventAt(901n)], caughtUp])).toEqual([901n, 'caught_up']);
  expect(await placesOf([caughtUp], 901n)).toEqual(['caught_up']);
});
