import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FairSlots, type Release } from './fair-slots.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Slots, and the requests that got one, in order. */
function slotsOf(limit: { value: number }, { waitersPerShop = 8, waiters = 0 } = {}) {
  const options = { limit: () => limit.value, waitMs: 200, waitersPerShop, waiters };
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
    const { granted, releases, acquire } = slotsOf({ value: 1 });
    for (const request of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) void acquire(request);
    for (let released = 0; released < 7; released += 1) {
      await settle();
      releases[released]?.();
    }
    await settle();
    expect(granted).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('rejects a shop with too many waiting requests immediately, but no other shop', async () => {
    const { granted, refused, releases, acquire } = slotsOf({ value: 1 }, { waitersPerShop: 2 });
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
    const { refused, releases, acquire } = slotsOf({ value: 1 }, { waitersPerShop: 1, waiters: 3 });
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
    const { refused, acquire, granted, releases } = slotsOf({ value: 1 });
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

  it('ignores a second release of a slot', async () => {
    const { granted, releases, acquire } = slotsOf({ value: 1 });
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
        const { granted, refused, releases, acquire } = slotsOf(limit, {
          waitersPerShop: 2,
          waiters: 5,
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
        await vi.advanceTimersByTimeAsync(200);
        expect(granted.length + refused.length).toBe(requests);
      }),
    );
  });
});
