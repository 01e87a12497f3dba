import { expect, it } from 'vitest';
import { ReaderPace } from './reader-pace.ts';

const kib = 1024;

function usePace() {
  let nowMs = 5_000;
  const pace = new ReaderPace(() => nowMs);
  return {
    /** A chunk, and the time that the reader and then the database take. */
    chunk: (bytes: number, readMs: number, queryMs = 0) => {
      pace.send(bytes);
      nowMs += readMs;
      const { creditBytes } = pace;
      pace.take();
      nowMs += queryMs;
      return creditBytes >= 0;
    },
  };
}

it('a reader of 16 KB a second is never too slow, whatever the size of chunks and the time of queries', () => {
  const { chunk } = usePace();
  for (let count = 0; count < 100; count += 1) {
    expect(chunk(16 * kib, 1_000, 60_000)).toBe(true);
    expect(chunk(320 * kib, 20_000)).toBe(true);
    expect(chunk(1, 0)).toBe(true);
  }
});

it('a slower one is too slow once it is ten seconds behind, and so is one that was fast before', () => {
  const { chunk } = usePace();
  expect(chunk(10_000 * kib, 1)).toBe(true);
  expect(chunk(16 * kib, 11_000)).toBe(true);
  expect(chunk(16 * kib, 1_100)).toBe(false);
  const { chunk: slow } = usePace();
  const behind = Array.from({ length: 30 }, () => slow(8 * kib, 1_000));
  expect([behind.indexOf(false), behind.lastIndexOf(true)]).toEqual([20, 19]);
});
