import { expect, it } from 'vitest';
import { follow } from './follow.ts';
import type { EventStore, LogItem } from './types.ts';

const batchOf = (size: number): LogItem[] =>
  Array.from({ length: size }, (_, position) => ({ kind: 'checkpoint', position: BigInt(position) }));

/** Follows a log of these batches; gives when each was handled, in milliseconds since the first. */
async function handledAt(batches: readonly LogItem[][], lingerMs: number): Promise<number[]> {
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
    lingerMs,
    handle: async () => {
      times.push(performance.now());
      if (times.length === batches.length) stop.abort();
    },
    onError: (error) => times.push(Number.NaN, String(error).length),
    signal: stop.signal,
  });
  return times.map((time) => time - (times[0] ?? 0));
}

const caughtUp: LogItem[] = [{ kind: 'caught_up' }];

it('lingers after a batch that was not full, so that the next gathers more', async () => {
  const [, second = 0, third = 0] = await handledAt([caughtUp, batchOf(10), batchOf(1)], 60);
  expect(second).toBeGreaterThanOrEqual(55);
  expect(third - second).toBeLessThan(55);
});

it('does not linger while it catches up', async () => {
  const [, second = 0, third = 0] = await handledAt([batchOf(1), batchOf(1), caughtUp], 500);
  expect(Math.max(second, third)).toBeLessThan(500);
});

it('does not linger once it is told to stop', async () => {
  const startedAt = performance.now();
  await handledAt([caughtUp], 60_000);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
