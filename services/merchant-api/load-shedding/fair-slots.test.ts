import fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FairSlots, type Release } from './fair-slots.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

const waitMs = { burst: 10_000, overload: 200 };

/**
 * Slots, and the requests that got one, in order. With `burstMs` of 0 every queue is an overload.
 */
function useSlots(limit: { value: number }, { waitersPerShop = 8, waiters = 0, burstMs = 0 } = {}) {
  const overload = { perShop: waitersPerShop, total: waiters };
  const waiting = { burst: { perShop: 500, total: 1_000 }, overload };
  const options = { limit: () => limit.value, burstMs, calmMs: 2_000, waitMs, waiting };
  const slots = new FairSlots(options);
  const granted: string[] = [];
  const refused: string[] = [];
  const releases: Release[] = [];
  const acquire = async (request: string) => {
    const release = await slots.acquire(request.charAt(0));
    (release ? granted : refused).push(request);
    if (release) releases.push(release);
    else slots.noteRefused(request.charAt(0));
  };
  return { slots, granted, refused, releases, acquire };
}
const settle = () => vi.advanceTimersByTimeAsync(0);
/** Lets time pass, and then what a timer has left to the next turn of the event loop. */
const elapse = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  await setImmediate();
};

describe('FairSlots', () => {
  it('grants slots to shops in turn, however many requests one has waiting (R4.10)', async () => {
    const { granted, releases, acquire } = useSlots({ value: 1 });
    for (const request of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) void acquire(request);
    for (let released = 0; released < 7; released += 1) {
      await settle();
      releases[released]?.();
    }
    await settle();
    expect(granted).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('rejects a shop with too many waiting requests immediately, but no other shop', async () => {
    const { granted, refused, releases, acquire } = useSlots({ value: 1 }, { waitersPerShop: 2 });
    for (const request of ['a1', 'a2', 'a3', 'a4', 'b1']) void acquire(request);
    await settle();
    expect(refused).toEqual(['a4']);
    releases[0]?.();
    await settle();
    releases[1]?.();
    await settle();
    expect(granted).toEqual(['a1', 'a2', 'b1']);
  });

  it('lets a shop have more waiting requests while few wait in all', async () => {
    const { refused, releases, acquire } = useSlots(
      { value: 1 },
      { waitersPerShop: 1, waiters: 3 },
    );
    for (const request of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2']) void acquire(request);
    await settle();
    expect(refused).toEqual(['a5', 'b2']);
    for (let released = 0; released < 5; released += 1) {
      releases[released]?.();
      await settle();
    }
    expect(releases).toHaveLength(5);
    void acquire('a6');
    await settle();
    expect(refused).toEqual(['a5', 'b2']);
  });

  it('rejects requests that have waited too long', async () => {
    const { refused, acquire, granted, releases } = useSlots({ value: 1 });
    void acquire('a1');
    void acquire('b1');
    await elapse(199);
    expect(refused).toEqual([]);
    await elapse(1);
    expect(refused).toEqual(['b1']);
    releases[0]?.();
    void acquire('c1');
    await settle();
    expect(granted).toEqual(['a1', 'c1']);
  });

  it('rejects none of a burst, however many requests it has and however slow they are (R4.10)', async () => {
    const { granted, refused, releases, acquire } = useSlots({ value: 1 }, { burstMs: 2_000 });
    const burst = Array.from({ length: 100 }, (_, n) => `a${n}`);
    for (const request of burst) void acquire(request);
    for (let released = 0; released < burst.length; released += 1) {
      await elapse(50);
      releases[released]?.();
    }
    await settle();
    expect(refused).toEqual([]);
    expect(granted).toEqual(burst);
  });

  it.each([
    ['one that took longer than a burst', { requests: 100, pauseMs: 300 }],
    ['one that took less', { requests: 30, pauseMs: 1_300 }],
  ])('rejects none of a burst that follows %s (R4.10)', async (_title, { requests, pauseMs }) => {
    const options = { burstMs: 2_000, waitersPerShop: 1, waiters: 1 };
    const { refused, releases, acquire } = useSlots({ value: 1 }, options);
    let released = 0;
    for (let burst = 0; burst < 3; burst += 1) {
      for (let n = 0; n < requests; n += 1) void acquire(`a${n}`);
      for (let n = 0; n < requests; n += 1) {
        await elapse(33);
        releases[released++]?.();
      }
      await elapse(pauseMs);
    }
    expect(refused).toEqual([]);
  });

  it('ends an overload once a slot is free and nobody has waited for a moment (R4.10)', async () => {
    const options = { burstMs: 2_000, waitersPerShop: 1, waiters: 1 };
    const { slots, refused, granted, releases, acquire } = useSlots({ value: 1 }, options);
    void acquire('a1');
    void acquire('a2');
    await elapse(2_500);
    void acquire('a3');
    await settle();
    expect([slots.refuses('a'), refused]).toEqual([true, ['a3']]);
    releases[0]?.();
    await settle();
    releases[1]?.();
    await elapse(201);
    for (const request of ['a4', 'a5', 'a6']) void acquire(request);
    await elapse(1_000);
    expect([granted, refused]).toEqual([['a1', 'a2', 'a4'], ['a3']]);
  });

  it('rejects what comes while a shop’s requests have waited for longer than a burst (R4.10)', async () => {
    const options = { waitersPerShop: 1, waiters: 2, burstMs: 2_000 };
    const { slots, granted, refused, releases, acquire } = useSlots({ value: 1 }, options);
    for (const request of ['a1', 'a2', 'a3']) void acquire(request);
    await elapse(1_999);
    expect(slots.refuses('a')).toBe(false);
    await elapse(1);
    expect([slots.refuses('a'), slots.refuses('b')]).toEqual([true, false]);
    void acquire('a4');
    await settle();
    expect(refused).toEqual(['a4']);
    releases[0]?.();
    void acquire('a5');
    await elapse(200);
    expect([granted, refused]).toEqual([
      ['a1', 'a2'],
      ['a4', 'a5'],
    ]);
  });

  it('rejects none of a shop’s burst during another’s overload', async () => {
    const { granted, refused, releases, acquire } = useSlots({ value: 1 }, { burstMs: 2_000 });
    for (const request of ['a1', 'a2', 'a3']) void acquire(request);
    await elapse(3_000);
    for (const request of ['b1', 'b2', 'a4']) void acquire(request);
    await elapse(1_000);
    expect(refused).toEqual(['a4']);
    for (let released = 0; released < 4; released += 1) {
      releases[released]?.();
      await settle();
    }
    expect(granted).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('takes bursts that are served for as many bursts, however soon they follow (R4.10)', async () => {
    const { refused, releases, acquire } = useSlots({ value: 1 }, { burstMs: 2_000 });
    let released = 0;
    for (let burst = 0; burst < 40; burst += 1) {
      void acquire('a1');
      void acquire('a2');
      await elapse(90);
      releases[released++]?.();
      await settle();
      releases[released++]?.();
      await elapse(10);
    }
    for (const request of ['a3', 'a4', 'a5']) void acquire(request);
    await elapse(1_000);
    expect(refused).toEqual([]);
  });

  it.each([
    ['takes a queue of which the rest was refused for the same one', 2_000, ['a2', 'a3']],
    ['takes a later queue for another burst', 2_001, ['a2']],
  ])('%s', async (_title, pauseMs, rejected) => {
    const { refused, acquire } = useSlots({ value: 1 }, { burstMs: 2_000 });
    for (const request of ['a1', 'a2']) void acquire(request);
    await elapse(waitMs.burst + pauseMs);
    void acquire('a3');
    await elapse(200);
    expect(refused).toEqual(rejected);
  });

  it('bounds what waits in a burst, of one shop and in all', async () => {
    const { slots, acquire } = useSlots({ value: 1 }, { burstMs: 2_000 });
    for (let n = 0; n < 501; n += 1) void acquire('a');
    expect([slots.refuses('a'), slots.refuses('b')]).toEqual([true, false]);
    for (let n = 0; n < 249; n += 1) void acquire('b');
    expect(slots.refuses('b')).toBe(false);
    void acquire('b');
    expect([slots.refuses('b'), slots.refuses('c')]).toEqual([true, false]);
  });

  it('leaves half of the slots to others, also while a shop’s requests wait (R4.10)', async () => {
    const { granted, releases, acquire } = useSlots({ value: 4 });
    for (const request of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void acquire(request);
    await settle();
    expect(granted).toEqual(['a1', 'a2', 'b1', 'b2']);
    releases[2]?.();
    await settle();
    expect(granted.slice(4)).toEqual(['c1']);
    releases[0]?.();
    await settle();
    expect(granted.slice(5)).toEqual(['a3']);
  });

  it('grants nothing to a client that left', async () => {
    const slots = new FairSlots({
      limit: () => 1,
      burstMs: 2_000,
      calmMs: 2_000,
      waitMs,
      waiting: { burst: { perShop: 9, total: 9 }, overload: { perShop: 9, total: 9 } },
    });
    const first = await slots.acquire('a');
    const client = new AbortController();
    const left = slots.acquire('a', () => client.signal);
    const next = slots.acquire('a');
    client.abort();
    expect(await left).toBeUndefined();
    first?.();
    expect(await next).toBeDefined();
  });

  it('lets no client wait that has left before', async () => {
    const { slots } = useSlots({ value: 1 });
    await slots.acquire('a');
    expect(await slots.acquire('a', () => AbortSignal.abort())).toBeUndefined();
  });

  it('takes a client that leaves for no sign of an overload (R4.10)', async () => {
    const { slots, refused, releases, acquire } = useSlots({ value: 1 }, { burstMs: 2_000 });
    for (const request of ['a1', 'a2']) void acquire(request);
    const client = new AbortController();
    void slots.acquire('a', () => client.signal);
    await elapse(2_500);
    client.abort();
    releases[0]?.();
    await settle();
    releases[1]?.();
    for (const request of ['a3', 'a4']) void acquire(request);
    await elapse(1_000);
    expect(refused).toEqual([]);
  });

  it('does not count what was let in among those that wait', async () => {
    const { slots, acquire } = useSlots({ value: 1 }, { burstMs: 2_000 });
    void acquire('a');
    for (let n = 0; n < 1_001; n += 1) void slots.reacquire('a');
    expect([slots.refuses('a'), slots.refuses('b')]).toEqual([false, false]);
  });

  it('grants a slot again to what had one, before others of its shop', async () => {
    const { slots, granted, releases, acquire } = useSlots({ value: 1 });
    for (const request of ['a1', 'a2', 'b1']) void acquire(request);
    const again = ['first', 'second'].map(async (which) => {
      releases.push(await slots.reacquire('a'));
      granted.push(which);
    });
    await elapse(10_000);
    expect(granted).toEqual(['a1']);
    releases[0]?.();
    await again[0];
    releases[1]?.();
    await again[1];
    expect(granted).toEqual(['a1', 'first', 'second']);
  });

  it('ignores a second release of a slot', async () => {
    const { granted, releases, acquire } = useSlots({ value: 1 });
    for (const request of ['a1', 'a2', 'a3']) void acquire(request);
    await settle();
    releases[0]?.();
    releases[0]?.();
    await settle();
    expect(granted).toEqual(['a1', 'a2']);
  });

  it('never grants more slots than the limit, and grants or rejects every request', async () => {
    const step = fc.oneof(
      fc.constantFrom('a', 'b', 'c').map((shop) => ({ shop })),
      fc.nat(50).map((release) => ({ release })),
      fc.integer({ min: 1, max: 5 }).map((limit) => ({ limit })),
      fc.nat(150).map((pauseMs) => ({ pauseMs })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const limit = { value: 3 };
        const { granted, refused, releases, acquire } = useSlots(limit, {
          waitersPerShop: 2,
          waiters: 5,
          burstMs: 300,
        });
        const open = new Set<Release>();
        let requests = 0;
        for (const one of steps) {
          const [before, releasesBefore] = [open.size, releases.length];
          if ('shop' in one) {
            requests += 1;
            void acquire(one.shop);
          } else if ('limit' in one) limit.value = one.limit;
          else if ('pauseMs' in one) await elapse(one.pauseMs);
          else {
            const release = [...open][one.release % Math.max(1, open.size)];
            if (release) open.delete(release);
            release?.();
          }
          await settle();
          for (const release of releases.slice(releasesBefore)) open.add(release);
          expect(open.size).toBeLessThanOrEqual(Math.max(before, limit.value));
        }
        await elapse(waitMs.burst);
        expect(granted.length + refused.length).toBe(requests);
      }),
    );
  });
});
