import { describe, expect, it } from 'vitest';
import { ConcurrencyLimit, limitBounds } from './concurrency-limit.ts';

const longestMs = 35;

/** Observes creates of that duration, one every 10 ms. */
function observeCreates(
  limit: ConcurrencyLimit,
  { tookMs, count = 5_000 }: { tookMs: number; count?: number },
  fromMs = 0,
): number {
  for (let n = 0; n < count; n += 1) {
    limit.observe(tookMs, fromMs + n * 10);
  }
  return limit.value;
}

describe('concurrency limit of creates', () => {
  it('shrinks while creates are slow, down to a minimum', () => {
    const limit = new ConcurrencyLimit(longestMs);
    const before = limit.value;
    expect(observeCreates(limit, { tookMs: longestMs + 1, count: 20 })).toBeLessThan(before);
    expect(observeCreates(limit, { tookMs: longestMs + 1 })).toBe(limitBounds.least);
  });

  it('grows while creates are fast, up to a maximum', () => {
    const limit = new ConcurrencyLimit(longestMs);
    observeCreates(limit, { tookMs: longestMs + 1 });
    expect(observeCreates(limit, { tookMs: 10 }, 50_000)).toBe(limitBounds.most);
  });

  it('does not shrink because of single slow creates', () => {
    const limit = new ConcurrencyLimit(longestMs);
    const before = limit.value;
    for (let n = 0; n < 1_000; n += 1) limit.observe(n % 20 === 0 ? 10 * longestMs : 5, n);
    expect(limit.value).toBe(before);
  });
});
