import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storedEvent } from '#shared/platform/event-store/testing/new-event.ts';
import type { LogItem } from '#shared/platform/event-store/index.ts';
import { DueQueue, type DueRow } from './due-queue.ts';
import { MinHeap } from './min-heap.ts';
import { createRhythms, defaultTimings } from './timings.ts';

const plan = { timings: defaultTimings, rhythms: createRhythms(new Map(), defaultTimings) };
const stream = (name: string) => `operation-${name}`;
const figures = { actual_amount: '0.00', settlement_amount: '0.00', commission_amount: '0.00' };

/** A terminal status is due immediately, a withdrawal changes nothing. */
const event = (
  name: string,
  revision: number,
  type = 'OperationExpired',
  ms = revision,
): LogItem => ({
  kind: 'event',
  event: storedEvent({
    type,
    data: type === 'OperationExpired' ? figures : { attempt: 1 },
    stream: stream(name),
    revision,
    created: new Date(ms),
  }),
});
const entry = (name: string): LogItem => {
  const about = { operation_id: name, shop_id: 's', currency: 'RUB', kind: 'credit', legs: [] };
  const { event: like } = event(name, 0) as Extract<LogItem, { kind: 'event' }>;
  const data = { ...about, balance_after: '0.00', reserved_after: '0.00' };
  return { kind: 'event', event: { ...like, stream: 'ledger-s-RUB', type: 'EntryPosted', data } };
};
const queueOf = (...items: LogItem[]) => {
  const queue = new DueQueue();
  queue.take(items, plan);
  return queue;
};
const next = (row: DueRow, change: Partial<DueRow>) => {
  const { stream: _, revision, ...rest } = { ...row, ...change };
  return { revision, next: rest };
};
const streamsOf = (rows: readonly DueRow[]) => rows.map((row) => row.stream);

describe('the queue of due work', () => {
  it('returns due work once, the longest overdue first', () => {
    const queue = queueOf(event('a', 30), event('b', 10), event('c', 20), event('d', 99));
    expect(queue.nextDueMs()).toBe(10);
    expect(streamsOf(queue.claim(2, 50))).toEqual([stream('b'), stream('c')]);
    expect(streamsOf(queue.claim(9, 50))).toEqual([stream('a')]);
    expect(queue.claim(9, 50)).toEqual([]);
    expect(queue.overdue(50)).toEqual({ streams: 3, oldestAgeMs: 40 });
  });

  it('forgets finished work, and returns a stream again once it is due again', () => {
    const queue = queueOf(event('a', 1), event('b', 2));
    const [a, b] = queue.claim(2, 50) as [DueRow, DueRow];
    queue.release(a, { revision: 1 });
    queue.release(b, next(b, { dueMs: 70, tries: 1 }));
    expect(queue.size).toBe(1);
    expect(queue.claim(2, 69)).toEqual([]);
    expect(queue.claim(2, 70)).toMatchObject([{ stream: stream('b'), tries: 1 }]);
  });

  it('lets a newer event decide when a stream is due next', () => {
    const queue = queueOf(event('a', 1));
    const [a] = queue.claim(1, 50) as [DueRow];
    queue.take([event('a', 2)], plan);
    expect(queue.claim(1, 50)).toEqual([]);
    queue.release(a, { revision: 1 });
    expect(queue.claim(1, 50)).toMatchObject([{ stream: stream('a'), revision: 2, tries: 0 }]);
  });

  it('leaves the planned time if an event changes nothing, and ignores older events', () => {
    const queue = queueOf(event('a', 4), event('a', 5, 'AttemptWithdrawn'), event('a', 3));
    expect(queue.claim(9, 50)).toMatchObject([{ dueMs: 4, lastActivityMs: 5, revision: 5 }]);
    expect(queueOf(event('a', 5, 'AttemptWithdrawn')).size).toBe(0);
  });

  it('ignores an event that it applied before, also while a provider is polled less often', () => {
    const queue = queueOf(event('a', 1));
    const [a] = queue.claim(1, 50) as [DueRow];
    const rescheduled = { dueMs: 70, lastActivityMs: 60, pollsWithoutChange: 3, tries: 2 };
    queue.release(a, next(a, rescheduled));
    queue.take([event('a', 1), event('a', 1, 'AttemptWithdrawn')], plan);
    expect(queue.rows()).toMatchObject([rescheduled]);
  });

  it('applies what other processes did, from the log and from finished work', () => {
    const queue = queueOf(event('a', 1), entry('a'));
    const [a] = queue.claim(1, 50) as [DueRow];
    expect(a.done).toEqual(['credit a']);
    queue.release(a, next(a, { done: ['overcharge'] }));
    expect(queue.claim(1, 50)).toMatchObject([{ done: ['credit a', 'overcharge'] }]);
  });

  it('returns changes since the last save, without streams added and removed since', () => {
    const queue = queueOf(event('a', 1), event('b', 2));
    const [a] = queue.claim(1, 50) as [DueRow];
    queue.release(a, { revision: 1 });
    const first = queue.takeChanges();
    expect(first).toMatchObject({ changed: [{ stream: stream('b') }], removed: [] });
    queue.markSaved(first);
    expect(queue.takeChanges()).toEqual({ changed: [], removed: [] });
    const [b] = queue.claim(1, 50) as [DueRow];
    queue.release(b, { revision: 2 });
    expect(queue.takeChanges()).toEqual({ changed: [], removed: [stream('b')] });
  });

  it('returns unsaved changes again, without streams added and removed meanwhile', () => {
    const queue = queueOf(event('a', 1), event('b', 2));
    const first = queue.takeChanges();
    const [a] = queue.claim(1, 50) as [DueRow];
    queue.release(a, { revision: 1 });
    queue.putBack(first);
    const second = queue.takeChanges();
    expect(second).toMatchObject({ changed: [{ stream: stream('b') }], removed: [] });
    queue.markSaved(second);
    const [b] = queue.claim(1, 50) as [DueRow];
    queue.release(b, { revision: 2 });
    const third = queue.takeChanges();
    expect(third).toEqual({ changed: [], removed: [stream('b')] });
    queue.putBack(third);
    expect(queue.takeChanges()).toEqual(third);
  });

  it('counts the work that waits for each provider, until a newer event', () => {
    const queue = queueOf(event('a', 1), event('b', 2), event('c', 3));
    const [a, b, c] = queue.claim(3, 50) as [DueRow, DueRow, DueRow];
    for (const row of [a, b]) queue.release(row, next(row, { dueMs: 70, waitsFor: 'gone' }));
    queue.release(c, next(c, { dueMs: 70, waitsFor: 'other' }));
    queue.take([event('b', 4)], plan);
    expect([...queue.waiting()]).toEqual([
      ['gone', 1],
      ['other', 1],
    ]);
  });

  it('continues from the saved work', () => {
    const before = queueOf(event('a', 1), event('b', 2));
    const { changed } = before.takeChanges();
    const queue = new DueQueue(changed);
    expect(queue.takeChanges()).toEqual({ changed: [], removed: [] });
    const claims = queue.claim(9, 50);
    expect(streamsOf(claims)).toEqual([stream('a'), stream('b')]);
    for (const claim of claims) queue.release(claim, { revision: claim.revision });
    expect(queue.takeChanges().removed).toEqual([stream('a'), stream('b')]);
  });
});

describe('the heap', () => {
  it('returns its values in key order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (keys) => {
        const heap = new MinHeap<number>();
        for (const key of keys) heap.push(key, key);
        const popped = keys.map(() => heap.pop().value);
        expect(popped).toEqual(keys.toSorted((left, right) => left - right));
        expect(heap.leastKey()).toBe(Infinity);
      }),
    );
  });
});
