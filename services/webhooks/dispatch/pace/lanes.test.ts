import { describe, expect, it } from 'vitest';
import type { Claimed } from '../../claim.ts';
import {
  demand,
  isStuck,
  laneLimits,
  adjustConcurrency,
  maySend,
  newLane,
  nextStuckMs,
  wantsMore,
  type Lane,
} from './lanes.ts';

const nowMs = 100_000;
const longAgo = nowMs - laneLimits.quickMs - 1;
const limits = { ...laneLimits, budget: { quick: 10, other: 10, stuck: 10 }, total: 30 };

function lane(
  shopId: string,
  more: Partial<Lane> & { busy?: number; sinceMs?: number } = {},
): Lane {
  const { busy = 0, sinceMs = nowMs, ...rest } = more;
  const underWay = new Map(Array.from({ length: busy }, (_, at) => [`${shopId}-${at}`, sinceMs]));
  return { ...newLane({ endpointId: shopId, shopId }), dueAtMs: nowMs, ...rest, underWay };
}
const claimed = (count: number): Claimed[] =>
  Array.from({ length: count }, (_, at) => ({
    messageId: `m${at}`,
    shopId: 'shop',
    endpointId: 'shop',
    operationId: null,
    type: 'payment.completed',
    body: '{}',
    occurredAtMs: 0,
    traceparent: null,
    token: 'token',
    leaseEndsMs: Infinity,
  }));
const claims = (...lanes: Lane[]) =>
  Object.fromEntries(demand(lanes, nowMs, limits).map((each) => [each.lane.shopId, each.limit]));

describe('what is claimed', () => {
  it('is as much as a lane has room for, of lanes that have something due and are not held', () => {
    expect(
      claims(
        lane('new'),
        lane('wide', { width: 5, busy: 3 }),
        lane('full', { width: 3, busy: 3 }),
        lane('later', { dueAtMs: nowMs + 1 }),
        lane('held', { heldUntilMs: nowMs + 1 }),
        lane('nothing', { dueAtMs: Number.POSITIVE_INFINITY }),
      ),
    ).toEqual({ new: 2, wide: 2 });
  });

  it('is dealt out in equal shares, the least occupied first, when there is not enough for all', () => {
    const wide = { width: 64, quick: true };
    expect(claims(lane('a', wide), lane('b', wide), lane('c', { ...wide, busy: 1 }))).toEqual({
      a: 3,
      b: 3,
      c: 3,
    });
    const many = Array.from({ length: 20 }, (_, at) => lane(`m${at}`, wide));
    expect(Object.keys(claims(...many))).toHaveLength(10);
  });

  it('is as much again ahead of its attempts, twice, where the lane is quick and has sent most of what it had', () => {
    const quick = { quick: true, width: 3 };
    expect(claims(lane('idle', quick))).toEqual({ idle: 9 });
    expect(claims(lane('busy', { ...quick, busy: 3, claimed: claimed(1) }))).toEqual({ busy: 5 });
    expect(claims(lane('ahead', { ...quick, busy: 3, claimed: claimed(2) }))).toEqual({});
    expect(claims(lane('stranger', { width: 3, busy: 2 }))).toEqual({ stranger: 1 });
  });

  it('of quick lanes does not wait for all the others, however many hang', () => {
    const hanging = Array.from({ length: 5 }, (_, at) => lane(`h${at}`, { busy: 2, width: 4 }));
    expect(claims(...hanging, lane('quick', { quick: true, width: 3 }))).toEqual({ quick: 9 });
  });

  it('counts a lane among the stuck as soon as an attempt of it lasts: no quick one and no stranger waits', () => {
    const stuck = lane('stuck', { quick: true, width: 64, busy: 10, sinceMs: longAgo });
    expect(claims(stuck, lane('quick', { quick: true, width: 3 }), lane('stranger'))).toEqual({
      quick: 9,
      stranger: 2,
    });
  });

  it('is as much beside a stuck attempt as if there were none, but for what is claimed ahead', () => {
    const failed = { width: 1, busy: 1 };
    expect(claims(lane('busy', failed), lane('hangs', { ...failed, sinceMs: longAgo }))).toEqual({
      hangs: 1,
    });
  });

  it('is no more in one lane than the widest has, however many attempts of it are stuck', () => {
    const wide = { ...limits, budget: laneLimits.budget, total: laneLimits.total };
    const stuck = lane('stuck', { width: 64, busy: 60, sinceMs: longAgo });
    expect(demand([stuck], nowMs, wide)).toEqual([{ lane: stuck, limit: 4 }]);
    expect(maySend({ ...stuck, claimed: claimed(1) }, nowMs)).toBe(true);
    const full = lane('full', {
      width: 1,
      busy: laneLimits.maxWidth,
      sinceMs: longAgo,
      claimed: claimed(1),
    });
    expect(maySend(full, nowMs)).toBe(false);
  });

  it('ends at the total', () => {
    const stuck = lane('stuck', { busy: 29, width: 64, sinceMs: longAgo });
    expect(claims(stuck, lane('quick', { quick: true, width: 3 }))).toEqual({ quick: 1 });
  });
});

describe('what is sent', () => {
  const waiting = { claimed: claimed(1), width: 3 };

  it('is what is claimed, as far as the width goes', () => {
    expect(maySend(lane('room', { ...waiting, busy: 2 }), nowMs)).toBe(true);
    expect(maySend(lane('full', { ...waiting, busy: 3 }), nowMs)).toBe(false);
    expect(maySend(lane('nothing', { width: 3 }), nowMs)).toBe(false);
    expect(maySend(lane('held', { ...waiting, heldUntilMs: nowMs + 1 }), nowMs)).toBe(false);
  });

  it('waits for what was sent before to be written, so that a crash repeats no more than that', () => {
    expect(maySend(lane('behind', { ...waiting, unwritten: 6 }), nowMs)).toBe(false);
    expect(maySend(lane('almost', { ...waiting, unwritten: 5 }), nowMs)).toBe(true);
  });

  it('does not wait for an attempt that lasts: one request that hangs never holds up a narrow lane', () => {
    const failed = { ...waiting, width: 1, busy: 1, unwritten: 1 };
    expect(maySend(lane('just begun', failed), nowMs)).toBe(false);
    const hangs = lane('hangs', { ...failed, sinceMs: longAgo });
    expect(isStuck(hangs, nowMs, limits)).toBe(true);
    expect(maySend(hangs, nowMs)).toBe(true);
    const many = lane('many hang', {
      ...waiting,
      width: 1,
      busy: 9,
      unwritten: 9,
      sinceMs: longAgo,
    });
    expect(maySend(many, nowMs)).toBe(true);
  });

  it('is nothing ahead for a lane with a stuck attempt: it holds what it sends, and no more', () => {
    const stuck = lane('stuck', { quick: true, width: 3, busy: 3, sinceMs: longAgo });
    expect(wantsMore(stuck, nowMs, limits)).toBe(true);
    expect(wantsMore({ ...stuck, claimed: claimed(3) }, nowMs, limits)).toBe(false);
  });
});

describe('when a lane gets room', () => {
  it('is when the oldest of its attempts that is not stuck has lasted long', () => {
    const one = lane('one', { width: 1, busy: 1, sinceMs: nowMs - 400 });
    const at = nextStuckMs(one, nowMs);
    expect(at).toBe(nowMs + laneLimits.quickMs - 399);
    expect([wantsMore(one, at - 1), wantsMore(one, at)]).toEqual([false, true]);
    expect(nextStuckMs(one, at)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a lane', () => {
  it('widens with quick successes up to a bound, and halves with failures down to one', () => {
    const one = lane('one');
    adjustConcurrency(one, { success: true, durationMs: 5 });
    expect(one).toMatchObject({ width: 3, quick: true });
    for (let count = 0; count < 100; count += 1)
      adjustConcurrency(one, { success: true, durationMs: 5 });
    expect(one.width).toBe(laneLimits.maxWidth);
    adjustConcurrency(one, { success: false, durationMs: 5 });
    expect(one).toMatchObject({ width: 32, quick: false });
    for (let count = 0; count < 10; count += 1)
      adjustConcurrency(one, { success: false, durationMs: 5 });
    expect(one.width).toBe(1);
  });

  it('that is slow keeps its width, and is not counted among the quick', () => {
    const slow = { ...lane('slow'), width: 7 };
    adjustConcurrency(slow, { success: true, durationMs: laneLimits.quickMs + 1 });
    expect(slow).toMatchObject({ width: 7, quick: false });
  });
});
