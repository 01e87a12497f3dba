import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamEvent } from '../storage/log-writer.ts';
import { createLiveEvents } from './live-events.ts';

const written = (position: number, stream = 's'): StreamEvent => {
  const nothing = Buffer.alloc(0);
  const event = { streamId: 1, revision: 0, id: nothing, type: 'T', createdMs: 0, record: nothing };
  return { stream, event: { ...event, position } };
};

/** Records each call as a list of positions, and its time. */
function createListener() {
  const calls: number[][] = [];
  const atMs: number[] = [];
  return {
    calls,
    atMs,
    listener(events: readonly StreamEvent[]) {
      calls.push(events.map(({ event }) => event.position));
      atMs.push(performance.now());
    },
  };
}

/** One event a millisecond. */
function publishFor(live: ReturnType<typeof createLiveEvents>, ms: number): void {
  for (let position = 1; position <= ms; position += 1) {
    live.publish([written(position)]);
    vi.advanceTimersByTime(1);
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a listener to all events', () => {
  it('gets an event immediately after an idle time', () => {
    const live = createLiveEvents();
    const { calls, listener } = createListener();
    live.listenToAll(listener);
    live.publish([written(1)]);
    vi.advanceTimersByTime(10);
    live.publish([written(2), written(3)]);
    expect(calls).toEqual([[1], [2, 3]]);
  });

  it('gets rapid events every ten milliseconds, in one batch and in order', () => {
    const live = createLiveEvents();
    const { calls, listener } = createListener();
    live.listenToAll(listener);
    publishFor(live, 100);
    vi.advanceTimersByTime(10);
    expect(calls.flat()).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(calls[0]).toEqual([1]);
    for (const positions of calls.slice(2, -1)) expect(positions).toHaveLength(10);
  });

  it('is called at a different time than other listeners', () => {
    const live = createLiveEvents();
    const listeners = Array.from({ length: 5 }, createListener);
    for (const { listener } of listeners) live.listenToAll(listener);
    publishFor(live, 50);
    const moments = listeners.flatMap(({ atMs }) => atMs.slice(1));
    expect(moments.length).toBeGreaterThan(20);
    expect(new Set(moments)).toHaveProperty('size', moments.length);
  });

  it('gets nothing after its removal', () => {
    const live = createLiveEvents();
    const { calls, listener } = createListener();
    const leave = live.listenToAll(listener);
    live.publish([written(1)]);
    live.publish([written(2)]);
    leave();
    vi.advanceTimersByTime(10);
    expect(calls).toEqual([[1]]);
  });
});

it('calls a listener to one stream immediately for each commit', () => {
  const live = createLiveEvents();
  const { calls, listener } = createListener();
  live.listenToStream('mine', listener);
  live.publish([written(1, 'mine'), written(2, 'other'), written(3, 'mine')]);
  live.publish([written(4, 'mine')]);
  live.publish([written(5, 'other')]);
  expect(calls).toEqual([[1, 3], [4]]);
});
