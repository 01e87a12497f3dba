import { describe, expect, it } from 'vitest';
import { maxRetryAfterMs, nextTry, parseRetryAfter } from './schedule.ts';

const scheduleMs = [0, 5_000, 300_000];
const middle = () => 0.5;

describe('the retry schedule', () => {
  it('has the delay before each attempt, and ends after the last (R14.7)', () => {
    expect(nextTry({ tries: 1 }, scheduleMs, middle)).toEqual({ delayMs: 5_000, holdMs: 0 });
    expect(nextTry({ tries: 2 }, scheduleMs, middle)).toEqual({ delayMs: 300_000, holdMs: 0 });
    expect(nextTry({ tries: 3 }, scheduleMs, middle)).toBeUndefined();
  });

  it('has a jitter of 20 % in both directions (R14.7)', () => {
    expect(nextTry({ tries: 1 }, scheduleMs, () => 0)?.delayMs).toBe(4_000);
    expect(nextTry({ tries: 1 }, scheduleMs, () => 0.999_999)?.delayMs).toBe(6_000);
  });

  it('waits at least as long as Retry-After, within a bound', () => {
    expect(nextTry({ tries: 1, retryAfterMs: 60_000 }, scheduleMs, middle)).toEqual({
      delayMs: 60_000,
      holdMs: 60_000,
    });
    expect(nextTry({ tries: 2, retryAfterMs: 60_000 }, scheduleMs, middle)).toEqual({
      delayMs: 300_000,
      holdMs: 60_000,
    });
    expect(nextTry({ tries: 1, retryAfterMs: 1e12 }, scheduleMs, middle)?.delayMs).toBe(
      maxRetryAfterMs,
    );
    expect(nextTry({ tries: 3, retryAfterMs: 1_000 }, scheduleMs, middle)).toBeUndefined();
  });
});

describe('Retry-After', () => {
  const nowMs = Date.parse('2026-01-31T12:00:00Z');

  it('is a number of seconds or a date', () => {
    expect(parseRetryAfter('120', nowMs)).toBe(120_000);
    expect(parseRetryAfter(' 0 ', nowMs)).toBe(0);
    expect(parseRetryAfter('Sat, 31 Jan 2026 12:00:30 GMT', nowMs)).toBe(30_000);
    expect(parseRetryAfter('Sat, 31 Jan 2026 11:00:00 GMT', nowMs)).toBe(0);
  });

  it('is ignored if it is anything else', () => {
    for (const odd of [undefined, '', '-1', '1.5', 'soon', '2026-01-31', '99999999999']) {
      expect(parseRetryAfter(odd, nowMs)).toBeUndefined();
    }
  });
});
