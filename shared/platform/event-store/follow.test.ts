import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { follow } from './follow.ts';
import type { EventStore, LogItem } from './types.ts';

const batchOf = (size: number): LogItem[] =>
  Array.from({ length: size }, (_, position) => ({
    kind: 'checkpoint',
    position: BigInt(position),
  }));

/**
 * Follows a log of these batches; returns when each was handled, in milliseconds since the first.
 */
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
  const rest = { times: 40, longestMs: 10_000 };
  const [, second = 0, third = 0] = await handledAt([caughtUp, batchOf(10), batchOf(1)], rest);
  // The 10 ms of handling are a timer, which may fire up to a millisecond early.
  expect(second).toBeGreaterThanOrEqual(360);
  expect(third - second).toBeLessThan(390);
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
