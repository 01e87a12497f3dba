import { expect, it } from 'vitest';
import { createTokenBuckets } from './token-buckets.ts';

const limit = { per_second: 100, burst: 200 };

function buckets(maxBuckets?: number) {
  let nowMs = 1_000;
  const limiter = createTokenBuckets({
    nowMs: () => nowMs,
    ...(maxBuckets !== undefined && { maxBuckets }),
  });
  return {
    take: (key = 'key', of = limit, cost = 1) => limiter.take(key, of, cost),
    spend: limiter.spend,
    owe: limiter.owe,
    refund: limiter.refund,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** How many requests are let through before the first refusal. */
    drain: (key = 'key', of = limit) => {
      let count = 0;
      while (limiter.take(key, of).allowed) count += 1;
      return count;
    },
  };
}

it('allows a burst, then as many requests as are refilled', () => {
  const { drain, pass, take } = buckets();
  expect(drain()).toBe(200);
  expect(take()).toEqual({ allowed: false, remaining: 0, fullInMs: 2000, nextInMs: 10 });
  pass(9);
  expect(take().allowed).toBe(false);
  pass(1);
  expect(take().allowed).toBe(true);
  pass(1_000);
  expect(drain()).toBe(100);
  pass(3_600_000);
  expect(drain()).toBe(200);
});

it('returns how many requests remain', () => {
  const { take } = buckets();
  expect(take()).toEqual({ allowed: true, remaining: 199, fullInMs: 10, nextInMs: 0 });
  expect(take()).toEqual({ allowed: true, remaining: 198, fullInMs: 20, nextInMs: 0 });
});

it('counts each key separately', () => {
  const { drain, take } = buckets();
  drain('one');
  expect(take('other').remaining).toBe(199);
});

it('deducts extra cost afterwards, never below zero', () => {
  const { take, spend, drain, pass } = buckets();
  take();
  spend('key', 150);
  expect(drain()).toBe(49);
  spend('key', 150);
  pass(10);
  expect(drain()).toBe(1);
  spend('unused', 10);
  expect(take('unused').remaining).toBe(199);
});

it('applies a raised or lowered limit at once', () => {
  const { drain, pass } = buckets();
  drain();
  expect(drain('key', { per_second: 100, burst: 300 })).toBe(100);
  pass(3_600_000);
  expect(drain('key', { per_second: 1, burst: 5 })).toBe(5);
  pass(1_000);
  expect(drain('key', { per_second: 1, burst: 5 })).toBe(1);
  pass(1_000);
  expect(drain('key', { per_second: 50, burst: 50 })).toBe(50);
});

it('evicts unused buckets, and keeps those in use', () => {
  const { drain, take } = buckets(4);
  drain('busy');
  drain('idle');
  for (const key of ['a', 'b', 'c', 'd']) {
    take(key);
    expect(take('busy').allowed).toBe(false);
  }
  expect(take('idle').remaining).toBe(199);
});

it('takes what a request costs: more than a burst from a full bucket, with a debt (R24.9)', () => {
  const { take, pass } = buckets();
  const takes = (cost: number) => take('key', limit, cost);
  expect(takes(150)).toMatchObject({ allowed: true, remaining: 50 });
  expect(takes(60)).toMatchObject({ allowed: false, remaining: 50, nextInMs: 100 });
  expect(takes(500)).toMatchObject({ allowed: false, nextInMs: 1_500 });
  pass(1_500);
  expect(takes(500)).toMatchObject({ allowed: true, remaining: 0, fullInMs: 5_000 });
  pass(3_000);
  expect(takes(1)).toMatchObject({ allowed: false, nextInMs: 10 });
  pass(10);
  expect(takes(1).allowed).toBe(true);
});

it('carries debt for requests allowed elsewhere, up to one burst', () => {
  const { owe, take, drain, pass } = buckets();
  owe('key', limit, 150);
  expect(drain()).toBe(50);
  owe('key', limit, 30);
  expect(take()).toMatchObject({ allowed: false, remaining: 0, nextInMs: 310 });
  for (let instance = 0; instance < 500; instance += 1) owe('key', limit, 200);
  pass(2_000);
  expect(take().allowed).toBe(false);
  pass(10);
  expect(take().allowed).toBe(true);
});

it('refunds what a request took, and not what another instance allowed meanwhile (R24.9)', () => {
  const { take, owe, refund } = buckets();
  expect(take('key', limit, 10_000).allowed).toBe(true);
  owe('key', limit, 5_000);
  refund('key', limit, 10_000);
  expect(take()).toMatchObject({ allowed: false, nextInMs: 48_010 });
  refund('key', limit, 10_000);
  expect(take()).toMatchObject({ allowed: true, remaining: 199 });
});

it('carries the debt of a request that cost more than a burst, whatever is allowed elsewhere after it (R24.9)', () => {
  const [here, elsewhere] = [buckets(), buckets()];
  expect(here.take('key', limit, 10_000).allowed).toBe(true);
  elsewhere.owe('key', limit, 10_000);
  // An instance that had not received it yet allowed one.
  for (const { owe } of [here, elsewhere]) owe('key', limit, 1);
  for (const { take, pass } of [here, elsewhere]) {
    expect(take()).toMatchObject({ allowed: false, nextInMs: 98_010 });
    pass(98_010);
    expect(take().allowed).toBe(true);
  }
});
