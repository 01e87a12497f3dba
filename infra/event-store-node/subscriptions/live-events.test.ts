import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WrittenEvent } from '../storage/log-writer.ts';
import { createLiveEvents } from './live-events.ts';

const written = (position: number, stream = 's'): WrittenEvent => {
  const nothing = Buffer.alloc(0);
  const event = { streamId: 1, revision: 0, id: nothing, type: 'T', createdMs: 0, record: nothing };
  return { stream, event: { ...event, position } };
};

/** Remembers what it was called with, a list of positions a call. */
function createListener() {
  const calls: number[][] = [];
  return {
    calls,
    listener: (events: readonly WrittenEvent[]) => void calls.push(events.map(({ event }) => event.position)),
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a listener to everything', () => {
  it('gets at once what comes after a quiet time', () => {
    const live = createLiveEvents();
    const { calls, listener } = createListener();
    live.listenToAll(listener);
    live.publish([written(1)]);
    vi.advanceTimersByTime(10);
    live.publish([written(2), written(3)]);
    expect(calls).toEqual([[1], [2, 3]]);
  });

  it('gets together, ten milliseconds later and in order, what follows closely', () => {
    const live = createLiveEvents();
    const { calls, listener } = createListener();
    live.listenToAll(listener);
    for (let position = 1; position <= 30; position += 1) {
      live.publish([written(position)]);
      vi.advanceTimersByTime(1);
    }
    vi.advanceTimersByTime(10);
    expect(calls.map((positions) => positions.length)).toEqual([1, 9, 10, 10]);
    expect(calls.flat()).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  it('gets nothing any more once it has left', () => {
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

it('a listener to one stream gets each commit of it at once', () => {
  const live = createLiveEvents();
  const { calls, listener } = createListener();
  live.listenToStream('mine', listener);
  live.publish([written(1, 'mine'), written(2, 'other'), written(3, 'mine')]);
  live.publish([written(4, 'mine')]);
  live.publish([written(5, 'other')]);
  expect(calls).toEqual([[1, 3], [4]]);
});
