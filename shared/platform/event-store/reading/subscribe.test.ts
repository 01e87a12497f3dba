import { Metadata } from '@grpc/grpc-js';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { LogItem } from '../types.ts';
import type { ReadAnswer } from './decode.ts';
import type { ReadCall } from './open.ts';
import { subscribeInBatches } from './subscribe.ts';

/** A call to the store that delivers these answers, and then stays open. */
function fakeCall(answers: readonly ReadAnswer[]): ReadCall & PassThrough {
  const stream = new PassThrough({ objectMode: true });
  setImmediate(() => answers.forEach((answer) => stream.write(answer)));
  return Object.assign(stream, { cancel: () => void stream.destroy() });
}

const empty = Buffer.alloc(0);
const event = (position: number, stream = 'operation-1'): ReadAnswer => ({
  kind: 'event',
  event: {
    position,
    stream,
    revision: 0,
    id: String(position),
    type: 'Happened',
    contentType: 'application/json',
    createdTicks: '0',
    data: empty,
    metadata: empty,
  },
});
const checkpoint = (commit: number, prepare = commit): ReadAnswer => ({
  kind: 'checkpoint',
  commit,
  prepare,
});

async function collect(
  answers: readonly ReadAnswer[],
  {
    maxBatch,
    until,
    filter,
  }: { maxBatch: number; until: bigint; filter?: { streamPrefixes: string[] } },
): Promise<LogItem[]> {
  const items: LogItem[] = [];
  const { signal } = new AbortController();
  const request = { maxBatch, signal, ...(filter && { filter }) };
  const open = () => Promise.resolve(fakeCall(answers));
  for await (const batch of subscribeInBatches(open, request, { lasting: ['ledger-'] })) {
    expect(batch.length).toBeLessThanOrEqual(maxBatch);
    items.push(...batch);
    await new Promise((resolve) => setImmediate(resolve));
    const last = items.at(-1);
    if (last?.kind === 'checkpoint' && last.position === until) break;
  }
  return items;
}

describe('subscribeInBatches', () => {
  it.each([1, 2, 7, 500])(
    'keeps the order of the log with batches of %i and a slow consumer',
    async (maxBatch) => {
      const answers: ReadAnswer[] = [];
      for (let index = 1; index <= 100; index += 1) {
        answers.push(event(index * 10));
        if (index % 3 === 0) answers.push(checkpoint(index * 10 + 1));
      }
      answers.push({ kind: 'caught_up' }, { kind: 'other' }, event(2_000), checkpoint(2_001));
      const items = await collect(answers, { maxBatch, until: 2_001n });
      const positions = items.flatMap((item) => {
        if (item.kind === 'caught_up') return [];
        return [item.kind === 'event' ? item.event.position : item.position];
      });
      expect(positions).toEqual(positions.toSorted((left, right) => Number(left - right)));
      expect(items.filter(({ kind }) => kind === 'event')).toHaveLength(101);
      const caughtUp = items.findIndex(({ kind }) => kind === 'caught_up');
      expect(items.slice(0, caughtUp).filter(({ kind }) => kind === 'event')).toHaveLength(100);
    },
  );

  it('reports skipped events of other streams as checkpoints', async () => {
    const answers = [event(1), event(2, 'ledger-1'), event(3), event(4, 'personal-key-1')];
    const items = await collect(answers, {
      maxBatch: 10,
      until: 4n,
      filter: { streamPrefixes: ['operation-'] },
    });
    expect(items.map((item) => (item.kind === 'event' ? item.event.position : item))).toEqual([
      1n,
      // This event identifies the log. One of a stream that may be deleted cannot.
      {
        kind: 'checkpoint',
        position: 2n,
        event: { stream: 'ledger-1', revision: 0, id: '2', position: 2n },
      },
      3n,
      { kind: 'checkpoint', position: 4n },
    ]);
  });

  it('ignores a checkpoint whose commit and prepare positions differ', async () => {
    const items = await collect([checkpoint(5, 4), event(7), checkpoint(8)], {
      maxBatch: 10,
      until: 8n,
    });
    expect(items.map((item) => item.kind)).toEqual(['event', 'checkpoint']);
  });

  it('throws the error that ends the call or prevents it', async () => {
    const ending = fakeCall([event(1)]);
    setImmediate(() =>
      setImmediate(() =>
        ending.emit('error', Object.assign(new Error('gone'), { code: 14, details: 'gone' })),
      ),
    );
    const reading = async () => {
      const { signal } = new AbortController();
      for await (const batch of subscribeInBatches(() => Promise.resolve(ending), { signal }))
        expect(batch).toHaveLength(1);
    };
    await expect(reading()).rejects.toThrow('gone');
    const refused = subscribeInBatches(() => Promise.reject(new Error('no connection')), {
      signal: new AbortController().signal,
    });
    await expect(refused.next()).rejects.toThrow('no connection');
  });
});

describe('subscription that the store ends because its consumer is too slow', () => {
  const tooSlow = () =>
    Object.assign(
      new Error('10 ABORTED: Operation timed out: Consumer too slow to handle event while live.'),
      {
        code: 10,
        details: 'Operation timed out: Consumer too slow to handle event while live.',
        metadata: new Metadata(),
      },
    );

  /** A log of 10 events; each call delivers some of them and is then ended. */
  function endedAfter(perCall: number, after?: bigint) {
    const opened: (bigint | undefined)[] = [];
    let ends = 0;
    const open = (from: bigint | undefined) => {
      opened.push(from);
      const first = Number(from ?? 0n) + 1;
      const positions = Array.from({ length: perCall }, (_, n) => first + n).filter(
        (at) => at <= 10,
      );
      const call = fakeCall(positions.map((at) => event(at)));
      const then = () =>
        positions.length === perCall
          ? call.emit('error', tooSlow())
          : call.emit('data', { kind: 'caught_up' });
      // After the events, even on a busy machine.
      setImmediate(() => setImmediate(then));
      return Promise.resolve(call);
    };
    const { signal } = new AbortController();
    const request = { signal, ...(after !== undefined && { after }) };
    return {
      opened,
      ends: () => ends,
      batches: subscribeInBatches(open, request, { onTooSlow: () => (ends += 1) }),
    };
  }

  it('resumes after the last event, without duplicates', async () => {
    const { opened, ends, batches } = endedAfter(4);
    const positions: bigint[] = [];
    for await (const batch of batches) {
      for (const item of batch) if (item.kind === 'event') positions.push(item.event.position);
      if (positions.length > 10 || batch.some(({ kind }) => kind === 'caught_up')) break;
    }
    expect(positions).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n]);
    expect(opened).toEqual([undefined, 4n, 8n]);
    expect(ends()).toBe(2);
  });

  it('throws after four calls without an event, so that its follower pauses', async () => {
    const { opened, batches } = endedAfter(0, 5n);
    await expect(batches.next()).rejects.toThrow('Consumer too slow');
    expect(opened).toEqual([5n, 5n, 5n, 5n]);
  });
});
