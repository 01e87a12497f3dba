import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { createEventStoreClient } from './client.ts';
import type { OpenRead, ReadCall } from './reading/open.ts';

const streams = {
  recent: [],
  lasting: [],
  closing: { stream: 'log', isClosedBy: () => false },
};

/** A store whose reads the test answers, one by one in their order. */
function useCalls() {
  const calls: EventEmitter[] = [];
  let canceled = 0;
  const read: OpenRead = async () => {
    const call = Object.assign(new EventEmitter(), { cancel: () => (canceled += 1) });
    calls.push(call);
    return call as unknown as ReadCall;
  };
  const connection = { read, appendCalls: () => ({}), close: async () => undefined };
  const store = createEventStoreClient('', streams, { connection: connection as never });
  return { store, calls, canceled: () => canceled };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const lost = () => Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: 'UNAVAILABLE' });

it('sends a read again when the store responds after an outage, so that none waits for its deadline', async () => {
  const { store, calls, canceled } = useCalls();
  const failing = store.read('a');
  await turn();
  calls[0]?.emit('error', lost());
  await expect(failing).rejects.toMatchObject({ code: 14 });
  // The server has dropped this one while it started.
  const dropped = store.read('b');
  const answered = store.read('c');
  await turn();
  calls[2]?.emit('end');
  await answered;
  await turn();
  expect([calls.length, canceled()]).toEqual([4, 1]);
  const answer = vi.fn<(events: unknown) => void>();
  void dropped.then(answer);
  calls[1]?.emit('error', lost());
  calls[1]?.emit('end');
  await turn();
  expect(answer).not.toHaveBeenCalled();
  calls[3]?.emit('end');
  expect(await dropped).toEqual([]);
});

it('sends no read again because others were answered first', async () => {
  const { store, calls } = useCalls();
  const slow = store.read('a');
  const answered = store.read('b');
  await turn();
  calls[1]?.emit('end');
  await answered;
  await turn();
  expect(calls).toHaveLength(2);
  calls[0]?.emit('end');
  expect(await slow).toEqual([]);
});
