import { expect, it, vi } from 'vitest';
import { readForScrape } from './reading.ts';

it('reads once for all gauges of a scrape, and again after ten seconds', async () => {
  let nowMs = 0;
  const read = vi.fn<() => Promise<number>>(async () => nowMs);
  const reading = readForScrape(read, () => nowMs);
  expect(await Promise.all([reading(), reading()])).toEqual([0, 0]);
  nowMs = 9_999;
  expect(await reading()).toBe(0);
  nowMs = 10_000;
  expect(await reading()).toBe(10_000);
  expect(read).toHaveBeenCalledTimes(2);
});

it('reads a slow source less often', async () => {
  let nowMs = 0;
  const read = vi.fn<() => Promise<void>>(async () => void (nowMs += 1_000));
  const reading = readForScrape(read, () => nowMs);
  await reading();
  nowMs = 100_000;
  await reading();
  expect(read).toHaveBeenCalledTimes(1);
  nowMs = 101_000;
  await reading();
  expect(read).toHaveBeenCalledTimes(2);
});

it('returns undefined if the read fails, and retries at the next scrape', async () => {
  let works = false;
  const reading = readForScrape(async () => {
    if (!works) throw new Error('no database');
    return 7;
  });
  expect(await reading()).toBeUndefined();
  works = true;
  expect(await reading()).toBe(7);
});
