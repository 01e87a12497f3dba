import type { AllStreamSubscription } from '@eventstore/db-client';
import { Transform } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { subscribeInBatches } from './subscribe.ts';
import type { LogItem } from './types.ts';

type Message = { event: number } | { checkpoint: number } | 'caughtUp';

/** Like the official client's subscription: events pass through a stream's buffer, everything else goes around it. */
function fakeSubscription(messages: readonly Message[], onCheckpoint: (position: bigint) => void) {
  const stream = new Transform({
    objectMode: true,
    transform(message: Message, _encoding, next) {
      if (message === 'caughtUp') this.emit('caughtUp');
      else if ('checkpoint' in message) onCheckpoint(BigInt(message.checkpoint));
      else
        return next(null, {
          event: { id: String(message.event), revision: 0n, position: position(message) },
        });
      next();
    },
  });
  setImmediate(() => messages.forEach((message) => stream.write(message)));
  return Object.assign(stream, {
    unsubscribe: async () => void stream.destroy(),
  }) as unknown as AllStreamSubscription;
}

const position = ({ event }: { event: number }) => ({ commit: BigInt(event), prepare: BigInt(event) });

describe('a subscription in batches', () => {
  it.each([1, 2, 7, 500])(
    'keeps the order of the log with batches of %i, however slow the consumer is',
    async (maxBatch) => {
      const messages: Message[] = [];
      for (let event = 1; event <= 100; event += 1) {
        messages.push({ event: event * 10 });
        if (event % 3 === 0) messages.push({ checkpoint: event * 10 + 1 });
      }
      messages.push('caughtUp', { event: 2_000 }, { checkpoint: 2_001 });
      const stopped = new AbortController();
      const taken: LogItem[] = [];
      const open = (onCheckpoint: (at: bigint) => void) => fakeSubscription(messages, onCheckpoint);
      for await (const batch of subscribeInBatches(open, { maxBatch, signal: stopped.signal })) {
        taken.push(...batch);
        await new Promise((resolve) => setImmediate(resolve));
        const last = taken.at(-1);
        if (last?.kind === 'checkpoint' && last.position === 2_001n) break;
      }
      const positions = taken.flatMap((item) => {
        if (item.kind === 'caught_up') return [];
        return [item.kind === 'event' ? item.event.position : item.position];
      });
      expect(positions).toEqual(positions.toSorted((left, right) => Number(left - right)));
      expect(taken.filter(({ kind }) => kind === 'event')).toHaveLength(101);
      const caughtUp = taken.findIndex(({ kind }) => kind === 'caught_up');
      expect(taken.slice(0, caughtUp).filter(({ kind }) => kind === 'event')).toHaveLength(100);
    },
  );
});
