import { afterEach, describe, expect, inject, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { startTcpProxy } from '#infra/verify/harness/tcp-proxy.ts';
import { connectEventStore, NO_STREAM, type AppendOutcome, type EventStore } from './index.ts';
import { describeEventStore, event, newStream } from './testing/contract.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

function connect(url: string = inject('eventStoreUrl')): EventStore {
  const store = connectEventStore(url);
  closing.push(() => store.close());
  return store;
}

async function connectThroughProxy() {
  const url = new URL(inject('eventStoreUrl').replace(/^[a-z]+:/, 'http:'));
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  closing.push(() => proxy.close());
  return { proxy, store: connect(`esdb://127.0.0.1:${proxy.port}?tls=false`) };
}

describeEventStore({
  over: 'over gRPC',
  open: () => connectEventStore(inject('eventStoreUrl')),
  url: () => inject('eventStoreUrl'),
});

describe('append over an unreliable connection', () => {
  it('has an outcome that the log confirms, and writes nothing twice', async () => {
    const { proxy, store } = await connectThroughProxy();
    const direct = connect();
    const streams = Array.from({ length: 16 }, newStream);
    const written = new Map<string, string[]>();
    let running = true;
    // Each writer appends at the revision of its last acknowledged append.
    const writer = async (stream: string) => {
      const ids: string[] = [];
      let revision = NO_STREAM;
      while (running) {
        const next = event();
        const appended: AppendOutcome = await store.append({
          stream,
          expectedRevision: revision,
          events: [next],
          deadlineMs: 15_000,
        });
        if (appended.outcome !== 'appended') throw new Error(`${stream}: ${appended.outcome}`);
        ids.push(next.id);
        revision = appended.revision;
      }
      written.set(stream, ids);
    };
    const writers = Promise.all(streams.map(writer));
    for (let cuts = 0; cuts < 6; cuts += 1) {
      await delay(150);
      proxy.cut();
    }
    await delay(150);
    running = false;
    await writers;
    for (const stream of streams) {
      const log = await direct.read(stream);
      expect(log.map(({ id }) => id)).toEqual(written.get(stream));
    }
  });

  it('returns unknown at its deadline if the store hangs; a repeat succeeds', async () => {
    const { proxy, store } = await connectThroughProxy();
    const stream = newStream();
    await store.append({ stream, expectedRevision: NO_STREAM, events: [event()] });
    proxy.stall();
    const request = { stream, expectedRevision: 0, events: [event()], deadlineMs: 400 };
    expect(await store.append(request)).toMatchObject({ outcome: 'unknown' });
    proxy.resume();
    expect(await store.append({ ...request, deadlineMs: 10_000 })).toMatchObject({
      outcome: 'appended',
      revision: 1,
    });
    expect(await store.read(stream)).toHaveLength(2);
  });
});

describe('read from a store that hangs', () => {
  it('fails at its deadline; a later read succeeds', async () => {
    const { proxy, store } = await connectThroughProxy();
    const stream = newStream();
    await store.append({ stream, expectedRevision: NO_STREAM, events: [event()] });
    proxy.stall();
    await expect(store.read(stream, { deadlineMs: 300 })).rejects.toThrow(/within 300 ms/);
    proxy.resume();
    expect(await store.read(stream)).toHaveLength(1);
  });
});
