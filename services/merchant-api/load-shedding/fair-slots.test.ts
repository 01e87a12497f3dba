import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FairSlots, type Release } from './fair-slots.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const waitMs = { burst: 10_000, overload: 200 };

/**
 * Slots, and the requests that got one, in order. With `burstMs` of 0 every queue is an overload.
 */
function useSlots(limit: { value: number }, { waitersPerShop = 8, waiters = 0, burstMs = 0 } = {}) {
  const options = { limit: () => limit.value, burstMs, waitMs, waitersPerShop, waiters };
  const slots = new FairSlots(options);
  const granted: string[] = [];
  const refused: string[] = [];
  const releases: Release[] = [];
  const acquire = async (request: string) => {
    const release = await slots.acquire(request.charAt(0));
    (release ? granted : refused).push(request);
    if (release) releases.push(release);
  };
  return { slots, granted, refused, releases, acquire };
}
const settle = () => vi.advanceTimersByTimeAsync(0);

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
    await vi.advanceTimersByTimeAsync(199);
    expect(refused).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
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
      await vi.advanceTimersByTimeAsync(50);
      releases[released]?.();
    }
    await settle();
    expect(refused).toEqual([]);
    expect(granted).toEqual(burst);
  });

  it('rejects what comes while requests have waited for longer than a burst may take (R4.10)', async () => {
    const options = { waitersPerShop: 1, waiters: 2, burstMs: 2_000 };
    const { slots, granted, refused, releases, acquire } = useSlots({ value: 1 }, options);
    for (const request of ['a1', 'a2', 'a3']) void acquire(request);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(slots.refuses('a')).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect([slots.refuses('a'), slots.refuses('b')]).toEqual([true, false]);
    void acquire('a4');
    void acquire('b1');
    await settle();
    expect(refused).toEqual(['a4']);
    await vi.advanceTimersByTimeAsync(200);
    expect(refused).toEqual(['a4', 'b1']);
    releases[0]?.();
    await settle();
    expect(granted).toEqual(['a1', 'a2']);
  });

  it.each([
    ['takes a queue that is empty for a moment for the same one', 200, 'rejects'],
    ['takes a later queue for another burst', 201, 'accepts'],
  ])('%s', async (_title, pauseMs, then) => {
    const { refused, releases, acquire } = useSlots({ value: 1 }, { burstMs: 2_000 });
    for (const request of ['a1', 'a2']) void acquire(request);
    await vi.advanceTimersByTimeAsync(2_000);
    releases[0]?.();
    await vi.advanceTimersByTimeAsync(pauseMs);
    void acquire('a3');
    await vi.advanceTimersByTimeAsync(200);
    expect(refused).toEqual(then === 'rejects' ? ['a3'] : []);
  });

  it('grants a slot again to what had one, before others of its shop', async () => {
    const { slots, granted, releases, acquire } = useSlots({ value: 1 });
    for (const request of ['a1', 'a2', 'b1']) void acquire(request);
    const again = slots.reacquire('a').then(() => granted.push('a1 again'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(granted).toEqual(['a1']);
    releases[0]?.();
    await again;
    expect(granted).toEqual(['a1', 'a1 again']);
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
          else if ('pauseMs' in one) await vi.advanceTimersByTimeAsync(one.pauseMs);
          else {
            const release = [...open][one.release % Math.max(1, open.size)];
            if (release) open.delete(release);
            release?.();
          }
          await settle();
          for (const release of releases.slice(releasesBefore)) open.add(release);
          expect(open.size).toBeLessThanOrEqual(Math.max(before, limit.value));
        }
        await vi.advanceTimersByTimeAsync(waitMs.burst);
        expect(granted.length + refused.length).toBe(requests);
      }),
    );
  });
});
