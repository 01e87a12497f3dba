import { describe, expect, it } from 'vitest';
import type { ClaimedMessage } from '../../claim.ts';
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
const claimed = (count: number): ClaimedMessage[] =>
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

describe('the number of claimed messages', () => {
  it('is the capacity of each lane that has due messages and is not paused', () => {
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

  it('is shared equally, the least occupied lane first, if the total is too small for all', () => {
    const wide = { width: 64, quick: true };
    expect(claims(lane('a', wide), lane('b', wide), lane('c', { ...wide, busy: 1 }))).toEqual({
      a: 3,
      b: 3,
      c: 3,
    });
    const many = Array.from({ length: 20 }, (_, at) => lane(`m${at}`, wide));
    expect(Object.keys(claims(...many))).toHaveLength(10);
  });

  it('is up to three times the width of a quick lane that has sent most of its messages', () => {
    const quick = { quick: true, width: 3 };
    expect(claims(lane('idle', quick))).toEqual({ idle: 9 });
    expect(claims(lane('busy', { ...quick, busy: 3, claimed: claimed(1) }))).toEqual({ busy: 5 });
    expect(claims(lane('ahead', { ...quick, busy: 3, claimed: claimed(2) }))).toEqual({});
    expect(claims(lane('stranger', { width: 3, busy: 2 }))).toEqual({ stranger: 1 });
  });

  it('of quick lanes is independent of the others, however many hang', () => {
    const hanging = Array.from({ length: 5 }, (_, at) => lane(`h${at}`, { busy: 2, width: 4 }));
    expect(claims(...hanging, lane('quick', { quick: true, width: 3 }))).toEqual({ quick: 9 });
  });

  it('counts a lane as stuck as soon as an attempt takes long, so no other lane waits', () => {
    const stuck = lane('stuck', { quick: true, width: 64, busy: 10, sinceMs: longAgo });
    expect(claims(stuck, lane('quick', { quick: true, width: 3 }), lane('stranger'))).toEqual({
      quick: 9,
      stranger: 2,
    });
  });

  it('does not count a stuck attempt against the width of its lane', () => {
    const failed = { width: 1, busy: 1 };
    expect(claims(lane('busy', failed), lane('hangs', { ...failed, sinceMs: longAgo }))).toEqual({
      hangs: 1,
    });
  });

  it('is at most the widest width for one lane, however many of its attempts are stuck', () => {
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

  it('is limited by the total', () => {
    const stuck = lane('stuck', { busy: 29, width: 64, sinceMs: longAgo });
    expect(claims(stuck, lane('quick', { quick: true, width: 3 }))).toEqual({ quick: 1 });
  });
});

describe('the messages sent', () => {
  const waiting = { claimed: claimed(1), width: 3 };

  it('are the claimed ones, up to the width', () => {
    expect(maySend(lane('room', { ...waiting, busy: 2 }), nowMs)).toBe(true);
    expect(maySend(lane('full', { ...waiting, busy: 3 }), nowMs)).toBe(false);
    expect(maySend(lane('nothing', { width: 3 }), nowMs)).toBe(false);
    expect(maySend(lane('held', { ...waiting, heldUntilMs: nowMs + 1 }), nowMs)).toBe(false);
  });

  it('wait until earlier attempts are written, so that a crash repeats no more than those', () => {
    expect(maySend(lane('behind', { ...waiting, unwritten: 6 }), nowMs)).toBe(false);
    expect(maySend(lane('almost', { ...waiting, unwritten: 5 }), nowMs)).toBe(true);
  });

  it('do not wait for a long attempt, so one hanging request never blocks a narrow lane', () => {
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

  it('are all that a lane with a stuck attempt claims: nothing ahead', () => {
    const stuck = lane('stuck', { quick: true, width: 3, busy: 3, sinceMs: longAgo });
    expect(wantsMore(stuck, nowMs, limits)).toBe(true);
    expect(wantsMore({ ...stuck, claimed: claimed(3) }, nowMs, limits)).toBe(false);
  });
});

describe('the time at which a lane gets capacity', () => {
  it('is when its oldest attempt that is not yet stuck becomes stuck', () => {
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

  it('that is slow keeps its width, and does not count as quick', () => {
    const slow = { ...lane('slow'), width: 7 };
    adjustConcurrency(slow, { success: true, durationMs: laneLimits.quickMs + 1 });
    expect(slow).toMatchObject({ width: 7, quick: false });
  });
});
