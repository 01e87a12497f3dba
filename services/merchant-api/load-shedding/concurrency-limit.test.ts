import { describe, expect, it } from 'vitest';
import { ConcurrencyLimit, limitBounds, longestMs } from './concurrency-limit.ts';

/** Creates of so long, one each 10 ms. */
function givenCreates(
  limit: ConcurrencyLimit,
  { tookMs, full, count = 5_000 }: { tookMs: number; full: boolean; count?: number },
  fromMs = 0,
): number {
  for (let n = 0; n < count; n += 1) {
    if (full) limit.noteFull();
    limit.observe(tookMs, fromMs + n * 10);
  }
  return limit.value;
}

describe('the limit of creates', () => {
  it('shrinks while creates are slow, and leaves some', () => {
    const limit = new ConcurrencyLimit();
    const before = limit.value;
    expect(givenCreates(limit, { tookMs: longestMs + 1, full: true, count: 20 })).toBeLessThan(
      before,
    );
    expect(givenCreates(limit, { tookMs: longestMs + 1, full: true })).toBe(limitBounds.least);
  });

  it('grows while creates are fast and others wait, up to a maximum', () => {
    const limit = new ConcurrencyLimit();
    givenCreates(limit, { tookMs: longestMs + 1, full: true });
    expect(givenCreates(limit, { tookMs: 10, full: true }, 50_000)).toBe(limitBounds.most);
  });

  it('stays while nothing waits', () => {
    const limit = new ConcurrencyLimit();
    const before = limit.value;
    expect(givenCreates(limit, { tookMs: 10, full: false })).toBe(before);
  });

  it('does not shrink because of single slow creates', () => {
    const limit = new ConcurrencyLimit();
    const before = limit.value;
    for (let n = 0; n < 1_000; n += 1) limit.observe(n % 20 === 0 ? 10 * longestMs : 5, n);
    expect(limit.value).toBe(before);
  });
});
