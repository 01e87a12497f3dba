import { expect, it } from 'vitest';
import { createExpiringCache } from './expiring-cache.ts';

function createCache(max = 10) {
  const clock = { nowMs: 0 };
  const cache = createExpiringCache<number>({ lifetimeMs: 100, max, now: () => clock.nowMs });
  let loads = 0;
  const load = async () => (loads += 1);
  return { clock, cache, load };
}

it('loads once for concurrent callers, and again after expiry', async () => {
  const { clock, cache, load } = createCache();
  expect(await Promise.all([cache.get('a', load), cache.get('a', load)])).toEqual([1, 1]);
  clock.nowMs = 99;
  expect(await cache.get('a', load)).toBe(1);
  clock.nowMs = 100;
  expect(await cache.get('a', load)).toBe(2);
});

it('measures the lifetime from the start of the load', async () => {
  const { clock, cache } = createCache();
  const slow = Promise.withResolvers<number>();
  const first = cache.get('a', () => slow.promise);
  clock.nowMs = 100;
  const second = cache.get('a', async () => 2);
  slow.resolve(1);
  expect([await first, await second]).toEqual([1, 2]);
});

it('does not cache failures', async () => {
  const { cache, load } = createCache();
  await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.get('a', load)).toBe(1);
});

it('evicts the oldest entries', async () => {
  const { cache, load } = createCache(2);
  for (const name of ['a', 'b', 'c']) await cache.get(name, load);
  expect(await cache.get('c', load)).toBe(3);
  expect(await cache.get('a', load)).toBe(4);
});
