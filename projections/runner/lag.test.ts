import { describe, expect, it } from 'vitest';
import type { EventStore, LogItem } from '#shared/platform/event-store/index.ts';
import { storedEvents } from '../testing/stored-events.ts';
import { measureLag } from './lag.ts';

const events = storedEvents(
  'operation-1',
  Array.from({ length: 5_000 }, () => ({ type: 'A', data: {} })),
);
const now = () => Date.parse('2026-01-31T12:00:10.000Z');

/** A log of `count` events, 100 positions apart. */
function logOf(count: number): EventStore {
  const logged = events.slice(0, count);
  return {
    subscribe: async function* ({ after = 0n }: { after?: bigint }): AsyncGenerator<LogItem[]> {
      const rest = logged.filter(({ position }) => position > after);
      for (let from = 0; from < rest.length; from += 500) {
        yield rest.slice(from, from + 500).map((event) => ({ kind: 'event', event }));
      }
      yield [{ kind: 'caught_up' }];
    },
    head: async () => BigInt(count) * 100n,
  } as Partial<EventStore> as EventStore;
}

const request = (position: bigint | undefined) => ({ position, streamPrefixes: ['operation-'] });

describe('lag of a read model', () => {
  it('is zero at the end of the log, and in an empty log', async () => {
    expect(await measureLag(logOf(3), request(300n), now)).toEqual({ lag_events: 0, lag_ms: 0 });
    expect(await measureLag(logOf(0), request(undefined), now)).toEqual({
      lag_events: 0,
      lag_ms: 0,
    });
  });

  it('counts pending events, and returns the age of the oldest', async () => {
    expect(await measureLag(logOf(5), request(200n), now)).toEqual({
      lag_events: 3,
      lag_ms: 8_000,
    });
    expect(await measureLag(logOf(5), request(undefined), now)).toEqual({
      lag_events: 5,
      lag_ms: 10_000,
    });
  });

  it('is estimated from the length of the log if it is long', async () => {
    expect(await measureLag(logOf(5_000), request(undefined), now)).toMatchObject({
      lag_events: 5_000,
    });
    expect(await measureLag(logOf(4_000), request(100_000n), now)).toMatchObject({
      lag_events: 3_000,
    });
  });
});
