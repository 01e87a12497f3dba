import { EventStoreDBClient, jsonEvent, WrongExpectedVersionError } from '@eventstore/db-client';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { startTcpProxy } from '#infra/verify/harness/tcp-proxy.ts';
import { newId } from '#shared/platform/ids.ts';
import {
  appendAtHead,
  connectEventStore,
  NO_STREAM,
  type AppendOutcome,
  type EventStore,
  type NewEvent,
} from './index.ts';

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

const event = (id = newId(), data: object = { text: 'Привет 🙂' }): NewEvent => ({
  id,
  type: 'Happened',
  data,
  metadata: { correlation_id: 'c-1', request_id: 'r-1', actor: 'service:test', schema_version: 1 },
});
const newStream = () => `test-${newId()}`;

describe('the event store client', () => {
  it('gives back what was appended, content and metadata, with its place', async () => {
    const store = connect();
    const stream = newStream();
    const events = [event(), event()];
    const appended = await store.append({ stream, expectedRevision: NO_STREAM, events });
    expect(appended).toMatchObject({ outcome: 'appended', revision: 1 });
    const read = await store.read(stream);
    expect(read).toMatchObject(events.map((each, revision) => ({ ...each, stream, revision })));
    expect(await store.read(stream, { fromRevision: 2 })).toEqual([]);
    expect(await store.read(newStream())).toEqual([]);
    expect(await store.read(stream, { direction: 'backwards', maxCount: 1 })).toMatchObject([
      { id: events[1]?.id },
    ]);
  });

  it('lets every writer append at the head of one stream, however often they meet', async () => {
    const stream = newStream();
    const writers = Array.from({ length: 4 }, () => connect());
    const outcomes = writers.map(async (store) => {
      const own = [];
      for (let count = 0; count < 50; count += 1)
        own.push((await appendAtHead(store, stream, [event()])).outcome);
      return own;
    });
    expect(new Set((await Promise.all(outcomes)).flat())).toEqual(new Set(['done']));
  });

  it('names the head in a conflict, and 64 writers at one revision leave one winner', async () => {
    const store = connect();
    const stream = newStream();
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, () =>
        store.append({ stream, expectedRevision: NO_STREAM, events: [event()] }),
      ),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'appended')).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === 'conflict')).toHaveLength(63);
    expect(await store.read(stream)).toHaveLength(1);
    const behind = await store.append({ stream, expectedRevision: NO_STREAM, events: [event()] });
    expect(behind).toEqual({ outcome: 'conflict', actualRevision: 0 });
  });

  it('is a success, not a conflict, when the same append comes again', async () => {
    const store = connect();
    const stream = newStream();
    const request = { stream, expectedRevision: NO_STREAM, events: [event(), event()] };
    const first = await store.append(request);
    await store.append({ stream, expectedRevision: 1, events: [event()] });
    expect(await store.append(request)).toEqual(first);
    expect(await store.read(stream)).toHaveLength(3);
  });

  it('refuses at once what the store will never take', async () => {
    const store = connect();
    const tooLarge = event(newId(), { text: 'x'.repeat(1_048_577) });
    await expect(
      store.append({ stream: newStream(), expectedRevision: NO_STREAM, events: [tooLarge] }),
    ).rejects.toMatchObject({ type: 'maximum-append-size-exceeded' });
  });
});

describe('the official client, on the same streams', () => {
  const connectOfficial = () => {
    const client = EventStoreDBClient.connectionString(inject('eventStoreUrl'));
    closing.push(() => client.dispose());
    return client;
  };

  it('reads what the gateway appended, and the gateway what it appended', async () => {
    const [store, official] = [connect(), connectOfficial()];
    const stream = newStream();
    const [own, foreign] = [event(), event()];
    await store.append({ stream, expectedRevision: NO_STREAM, events: [own] });
    const { id, type, metadata } = foreign;
    const appended = jsonEvent({ id, type, data: { text: 'Привет 🙂' }, metadata });
    const { position } = await official.appendToStream(stream, appended, { expectedRevision: 0n });
    const streamed: unknown[] = [];
    for await (const each of official.readStream(stream)) streamed.push(each.event);
    expect(streamed).toMatchObject(
      [own, foreign].map((each, revision) => ({
        ...each,
        isJson: true,
        streamId: stream,
        revision: BigInt(revision),
      })),
    );
    const read = await store.read(stream);
    expect(read).toMatchObject([own, foreign]);
    expect(read.map((each) => each.created)).toEqual(
      streamed.map((each) => (each as { created: Date }).created),
    );
    expect(read[1]?.position).toBe(position?.commit);
  });

  it('reports the same conflict', async () => {
    const [store, official] = [connect(), connectOfficial()];
    const stream = newStream();
    await store.append({ stream, expectedRevision: NO_STREAM, events: [event(), event()] });
    const appended = jsonEvent({ id: newId(), type: 'Happened', data: {} });
    const refused = official.appendToStream(stream, appended, { expectedRevision: 7n });
    await expect(refused).rejects.toBeInstanceOf(WrongExpectedVersionError);
    await expect(refused).rejects.toMatchObject({ actualVersion: 1n });
    expect(await store.append({ stream, expectedRevision: 7, events: [event()] })).toMatchObject({
      outcome: 'conflict',
      actualRevision: 1,
    });
  });
});

describe('when the connection is cut under load', () => {
  it('every append has an outcome that the log confirms, and nothing is written twice', async () => {
    const { proxy, store } = await connectThroughProxy();
    const direct = connect();
    const streams = Array.from({ length: 16 }, newStream);
    const written = new Map<string, string[]>();
    let running = true;
    // Each writer keeps appending at the revision that it knows, and goes only by the answers that
    // it got.
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

  it('an append into a store that hangs is unknown after its deadline, and found later', async () => {
    const { proxy, store } = await connectThroughProxy();
    const stream = newStream();
    await store.append({ stream, expectedRevision: NO_STREAM, events: [event()] });
    proxy.stall();
    const request = { stream, expectedRevision: 0, events: [event()], deadlineMs: 400 };
    // The store still hangs.
    expect(await store.append(request)).toMatchObject({ outcome: 'unknown' });
    proxy.resume();
    expect(await store.append({ ...request, deadlineMs: 10_000 })).toMatchObject({
      outcome: 'appended',
      revision: 1,
    });
    expect(await store.read(stream)).toHaveLength(2);
  });
});

describe('a store that does not answer', () => {
  it('ends a read after its deadline, and answers the next one when it is back', async () => {
    const { proxy, store } = await connectThroughProxy();
    const stream = newStream();
    await store.append({ stream, expectedRevision: NO_STREAM, events: [event()] });
    proxy.stall();
    await expect(store.read(stream, { deadlineMs: 300 })).rejects.toThrow(/within 300 ms/);
    proxy.resume();
    expect(await store.read(stream)).toHaveLength(1);
  });
});

describe('following the log', () => {
  it('gives history, then says that it caught up, then what is appended live, in batches', async () => {
    const store = connect();
    const prefix = `follow${newId().slice(0, 8)}`;
    const append = (name: string, expectedRevision = NO_STREAM) =>
      store.append({ stream: `${prefix}-${name}`, expectedRevision, events: [event()] });
    await append('a');
    await append('b');
    const stop = new AbortController();
    const seen: string[] = [];
    let caughtUpAfter = -1;
    for await (const batch of store.subscribe({
      filter: { streamPrefixes: [`${prefix}-`] },
      signal: stop.signal,
    })) {
      for (const item of batch) {
        if (item.kind === 'event') seen.push(item.event.stream);
        if (item.kind === 'caught_up') {
          caughtUpAfter = seen.length;
          await append('c');
        }
      }
      if (seen.length === 3) stop.abort();
    }
    expect(caughtUpAfter).toBe(2);
    expect(seen).toEqual(['a', 'b', 'c'].map((name) => `${prefix}-${name}`));
  });

  it('goes on after the position that was handled', async () => {
    const store = connect();
    const prefix = `resume${newId().slice(0, 8)}`;
    const positions: bigint[] = [];
    for (const name of ['a', 'b', 'c']) {
      const appended = await store.append({
        stream: `${prefix}-${name}`,
        expectedRevision: NO_STREAM,
        events: [event()],
      });
      if (appended.outcome === 'appended') positions.push(appended.position);
    }
    const stop = new AbortController();
    const seen: string[] = [];
    const [after] = positions;
    for await (const batch of store.subscribe({
      ...(after !== undefined && { after }),
      filter: { streamPrefixes: [`${prefix}-`] },
      signal: stop.signal,
    })) {
      for (const item of batch) if (item.kind === 'event') seen.push(item.event.stream);
      if (seen.length === 2) stop.abort();
    }
    expect(seen).toEqual([`${prefix}-b`, `${prefix}-c`]);
  });

  it('leaves out types that nobody wants, and moves on past them', async () => {
    const store = connect();
    const prefix = `except${newId().slice(0, 8)}`;
    const append = async (name: string, types: string[]) =>
      store.append({
        stream: `${prefix}-${name}`,
        expectedRevision: NO_STREAM,
        events: types.map((type) => ({ ...event(), type })),
      });
    await append('a', ['Wanted', 'Unwanted', 'UnwantedNot']);
    await append('b', ['Unwanted']);
    await store.append({
      stream: `other-${prefix}`,
      expectedRevision: NO_STREAM,
      events: [event()],
    });
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const batch of store.subscribe({
      filter: { streamPrefixes: [`${prefix}-`], exceptTypes: ['Unwanted', 'Others'] },
      signal: stop.signal,
    })) {
      for (const item of batch) {
        if (item.kind === 'event') seen.push(`${item.event.stream} ${item.event.type}`);
        if (item.kind === 'caught_up') await append('c', ['Unwanted', 'Live']);
      }
      if (seen.some((each) => each.endsWith('Live'))) stop.abort();
    }
    expect(seen).toEqual([`${prefix}-a Wanted`, `${prefix}-a UnwantedNot`, `${prefix}-c Live`]);
  });

  it('holds the log back while its consumer is slow, and loses nothing', async () => {
    const store = connect();
    const prefix = `slow${newId().slice(0, 8)}`;
    const stream = `${prefix}-a`;
    const count = 5_000;
    for (let from = 0; from < count; from += 500) {
      await store.append({
        stream,
        expectedRevision: from - 1,
        events: Array.from({ length: 500 }, () => event()),
      });
    }
    const stop = new AbortController();
    const revisions: number[] = [];
    for await (const batch of store.subscribe({
      filter: { streamPrefixes: [`${prefix}-`] },
      maxBatch: 100,
      signal: stop.signal,
    })) {
      expect(batch.length).toBeLessThanOrEqual(100);
      for (const item of batch) if (item.kind === 'event') revisions.push(item.event.revision);
      if (revisions.length < 1_000) await delay(2);
      if (revisions.length === count) stop.abort();
    }
    expect(revisions).toEqual(Array.from({ length: count }, (_, index) => index));
  });
});
