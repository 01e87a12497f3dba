import { expect, it } from 'vitest';
import { CheckpointNotInLog } from './checkpoint-guard.ts';
import { follow } from './follow.ts';
import { storedEvent } from './testing/new-event.ts';
import type { EventStore, LogItem } from './types.ts';

const batchOf = (size: number): LogItem[] =>
  Array.from({ length: size }, () => ({ kind: 'event', event: storedEvent({}) }));

/**
 * Follows a log of these batches; returns when each was handled, in milliseconds of a clock that
 * only advances by 10 ms a batch and by pauses.
 */
async function handledAt(
  batches: readonly LogItem[][],
  pauseMs: number,
  pauses: number[] = [],
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
    pauseMs,
    handle: async () => {
      times.push(nowMs);
      nowMs += 10;
      if (times.length === batches.length) stop.abort();
    },
    onError: (error) => times.push(Number.NaN, String(error).length),
    signal: stop.signal,
    // Like a timer that the signal aborts.
    pause: async (ms, signal) => {
      signal.throwIfAborted();
      pauses.push(ms);
      nowMs += ms;
    },
  });
  return times;
}

const caughtUp: LogItem[] = [{ kind: 'caught_up' }];

it('pauses after a batch that was not full', async () => {
  const batches = [caughtUp, batchOf(1), batchOf(10), batchOf(1)];
  expect(await handledAt(batches, 400)).toEqual([0, 10, 420, 430]);
});

it('does not pause after a batch without events', async () => {
  const checkpoint: LogItem[] = [{ kind: 'checkpoint', position: 1n }];
  expect(await handledAt([caughtUp, checkpoint, batchOf(1)], 400)).toEqual([0, 10, 20]);
});

it('does not pause while it catches up', async () => {
  expect(await handledAt([batchOf(1), batchOf(1), caughtUp], 5_000)).toEqual([0, 10, 20]);
});

it('does not pause once it is stopped', async () => {
  const pauses: number[] = [];
  await handledAt([[...caughtUp, ...batchOf(1)]], 60_000, pauses);
  expect(pauses).toEqual([]);
});

it('does not read while its checkpoint is not in the log, and reloads it', async () => {
  const stop = new AbortController();
  const steps: string[] = [];
  let saved = 9n;
  await follow({
    store: {
      subscribe: async function* ({ after }) {
        steps.push(`reads after ${after}`);
        yield caughtUp;
      },
    } as Partial<EventStore> as EventStore,
    follower: 'test',
    guard: {
      verify: async (follower, _store, checkpoint) => {
        if (checkpoint?.position === 9n)
          throw new CheckpointNotInLog(`the checkpoint of ${follower} is not in the log`);
      },
    },
    checkpoint: async () => ({ position: saved }),
    handle: async () => stop.abort(),
    onError: (error) => steps.push(String(error)),
    onRefused: ({ message }) => steps.push(message),
    signal: stop.signal,
    pause: async (ms, signal) => {
      signal.throwIfAborted();
      steps.push(`pauses ${ms} ms`);
      // It is refused twice, then an operator resets it.
      if (steps.length === 4) saved = 0n;
    },
  });
  const refused = 'the checkpoint of test is not in the log';
  expect(steps).toEqual([refused, 'pauses 5000 ms', refused, 'pauses 5000 ms', 'reads after 0']);
});
