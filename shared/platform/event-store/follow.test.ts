import { expect, it } from 'vitest';
import { CheckpointNotInLog } from './checkpoint-guard.ts';
import { follow } from './follow.ts';
import type { EventStore, LogItem } from './types.ts';

const batchOf = (size: number): LogItem[] =>
  Array.from({ length: size }, (_, position) => ({
    kind: 'checkpoint',
    position: BigInt(position),
  }));

/**
 * Follows a log of these batches; returns when each was handled, in milliseconds of a clock that
 * stands still but for 10 ms a batch, and for pauses.
 */
async function handledAt(
  batches: readonly LogItem[][],
  rest: { times: number; longestMs: number },
  rested: number[] = [],
): Promise<number[]> {
  const stop = new AbortController();
  let nowMs = 0;
  const times: number[] = [];
  await follow({
    store: {
      subscribe: async function* () {
        yield* batches;
      },
    } as Partial<EventStore> as EventStore,
    follower: 'test',
    guard: { verify: async () => undefined },
    checkpoint: async () => undefined,
    maxBatch: 10,
    rest,
    handle: async () => {
      times.push(nowMs);
      nowMs += 10;
      if (times.length === batches.length) stop.abort();
    },
    onError: (error) => times.push(Number.NaN, String(error).length),
    signal: stop.signal,
    clock: {
      now: () => nowMs,
      // As a timer does that is stopped by the signal.
      pause: async (ms, signal) => {
        signal.throwIfAborted();
        rested.push(ms);
        nowMs += ms;
      },
    },
  });
  return times;
}

const caughtUp: LogItem[] = [{ kind: 'caught_up' }];

it('rests after a batch that was not full for a multiple of its time, so that the next gathers more', async () => {
  const rest = { times: 40, longestMs: 10_000 };
  expect(await handledAt([caughtUp, batchOf(10), batchOf(1)], rest)).toEqual([0, 410, 420]);
});

it('rests no longer than it may', async () => {
  const rest = { times: 10_000, longestMs: 50 };
  expect(await handledAt([caughtUp, batchOf(1)], rest)).toEqual([0, 60]);
});

it('does not rest while it catches up', async () => {
  const rest = { times: 1_000, longestMs: 5_000 };
  expect(await handledAt([batchOf(1), batchOf(1), caughtUp], rest)).toEqual([0, 10, 20]);
});

it('does not rest once it is told to stop', async () => {
  const rested: number[] = [];
  await handledAt([caughtUp], { times: 1_000_000, longestMs: 60_000 }, rested);
  expect(rested).toEqual([]);
});

it('does not read the log while its checkpoint is not in it, and asks for the checkpoint again', async () => {
  const stop = new AbortController();
  const happened: string[] = [];
  let saved = 9n;
  await follow({
    store: {
      subscribe: async function* ({ after }) {
        happened.push(`reads after ${after}`);
        yield caughtUp;
      },
    } as Partial<EventStore> as EventStore,
    follower: 'test',
    guard: {
      verify: async (follower, _store, checkpoint) => {
        if (checkpoint?.position === 9n) throw new CheckpointNotInLog(follower, 'other_log');
      },
    },
    checkpoint: async () => ({ position: saved }),
    handle: async () => stop.abort(),
    onError: (error) => happened.push(String(error)),
    onRefused: ({ message }) => happened.push(message),
    signal: stop.signal,
    clock: {
      now: () => 0,
      pause: async (ms, signal) => {
        signal.throwIfAborted();
        happened.push(`pauses ${ms} ms`);
        // It is refused twice; then an operator has reset it.
        if (happened.length === 4) saved = 0n;
      },
    },
  });
  const refused = 'the checkpoint of test is not in the log: another log, or an older copy';
  expect(happened).toEqual([refused, 'pauses 5000 ms', refused, 'pauses 5000 ms', 'reads after 0']);
});
