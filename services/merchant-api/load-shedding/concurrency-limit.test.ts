import { describe, expect, it } from 'vitest';
import { AdaptiveLimit, limitBounds } from './concurrency-limit.ts';

/** A limit that observes creates of a duration, one every 10 ms. */
function createLimit() {
  const limit = new AdaptiveLimit();
  let nowMs = 0;
  const observe = (tookMs: number, { count = 5_000, isAlone = false } = {}): number => {
    for (let n = 0; n < count; n += 1) limit.observe(tookMs, { nowMs: (nowMs += 10), isAlone });
    return limit.value;
  };
  return { limit, observe };
}

describe('concurrency limit of creates', () => {
  it.each([0.5, 3, 12, 50])(
    'shrinks while creates take many times the %d ms that they take alone, and grows again',
    (aloneMs) => {
      const { observe } = createLimit();
      expect(observe(aloneMs)).toBe(limitBounds.most);
      expect(observe(aloneMs * 14)).toBe(limitBounds.most);
      expect(observe(aloneMs * 20, { count: 20 })).toBeLessThan(limitBounds.most);
      expect(observe(aloneMs * 20)).toBe(limitBounds.least);
      expect(observe(aloneMs * 3)).toBe(limitBounds.most);
    },
  );

  it('follows a machine that has become slower, by creates that were alone', () => {
    const { limit, observe } = createLimit();
    observe(1);
    expect(observe(80)).toBe(limitBounds.least);
    expect(limit.shortestMs).toBe(1);
    expect(observe(80, { isAlone: true })).toBe(limitBounds.most);
    expect(limit.shortestMs).toBeGreaterThan(10);
  });

  it('does not shrink because of single slow creates', () => {
    const { limit, observe } = createLimit();
    for (let n = 0; n < 1_000; n += 1) observe(n % 20 === 0 ? 500 : 50, { count: 1 });
    expect(limit.value).toBe(limitBounds.most);
  });
});
