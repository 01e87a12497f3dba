import { expect, it } from 'vitest';
import { createExpiringCache } from './expiring-cache.ts';

function given(max = 10) {
  const clock = { nowMs: 0 };
  const cache = createExpiringCache<number>({ lifetimeMs: 100, max, now: () => clock.nowMs });
  let found = 0;
  const find = async () => (found += 1);
  return { clock, cache, find };
}

it('loads once for concurrent callers, and again after expiry', async () => {
  const { clock, cache, find } = given();
  expect(await Promise.all([cache.get('a', find), cache.get('a', find)])).toEqual([1, 1]);
  clock.nowMs = 99;
  expect(await cache.get('a', find)).toBe(1);
  clock.nowMs = 100;
  expect(await cache.get('a', find)).toBe(2);
});

it('counts the lifetime from the start of the load', async () => {
  const { clock, cache } = given();
  const slow = Promise.withResolvers<number>();
  const first = cache.get('a', () => slow.promise);
  clock.nowMs = 100;
  const second = cache.get('a', async () => 2);
  slow.resolve(1);
  expect([await first, await second]).toEqual([1, 2]);
});

it('caches no failures', async () => {
  const { cache, find } = given();
  await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.get('a', find)).toBe(1);
});

it('evicts the oldest entries', async () => {
  const { cache, find } = given(2);
  for (const name of ['a', 'b', 'c']) await cache.get(name, find);
  expect(await cache.get('c', find)).toBe(3);
  expect(await cache.get('a', find)).toBe(4);
});
