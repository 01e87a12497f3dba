import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreDBClient, jsonEvent, WrongExpectedVersionError } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { useProxiedStore, useStore } from '#infra/verify/harness/stores/store.ts';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import {
  startInProcess,
  type InProcessNode,
} from '#infra/event-store-node/in-process/start-in-process.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { newId } from '#shared/platform/ids.ts';
import type { StoreConnection } from './connection.ts';
import {
  appendAtHead,
  NO_STREAM,
  type AppendOutcome,
  type EventStore,
  type NewEvent,
} from './index.ts';

const connect = (url = inject('eventStoreUrl'), connection?: StoreConnection): EventStore =>
  useStore(url, { connection });

const event = (id = newId(), data: object = { text: 'Привет 🙂' }): NewEvent => ({
  id,
  type: 'Happened',
  data,
  metadata: { correlation_id: 'c-1', request_id: 'r-1', actor: 'service:test', schema_version: 1 },
});
const newStream = () => `test-${newId()}`;

const inThread = { url: '', node: undefined as InProcessNode | undefined };
const directory = folderForFile();
beforeAll(async () => {
  const port = await findFreePort();
  inThread.url = `esdb://127.0.0.1:${port}?tls=false`;
  inThread.node = await startInProcess({ directory, port, sameUserOnly: false });
});
afterAll(() => inThread.node?.stop());
/** Each transport must pass the same tests. */
const transports = [
  { over: 'gRPC', open: () => connect(), url: (): string => inject('eventStoreUrl') },
  {
    over: 'a port of a thread',
    open: () => connect(inThread.url, inThread.node?.connect()),
    url: () => inThread.url,
  },
];

describe.each(transports)('event store over $over', ({ open }) => {
  it('reads back appended events, with metadata and revisions', async () => {
    const store = open();
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

  it('lets concurrent writers append at the head of one stream', async () => {
    const stream = newStream();
    const writers = Array.from({ length: 4 }, () => open());
    const appended = writers.map(async (store) => {
      const own: string[] = [];
      for (let count = 0; count < 50; count += 1) {
        const events = [event()];
        // On a slow machine every try within the deadline may meet a conflict: the same again.
        while ((await appendAtHead(store, stream, events)).outcome === 'undecided');
        own.push(...events.map(({ id }) => id));
      }
      return own;
    });
    const ids = (await Promise.all(appended)).flat();
    const stored = (await writers[0]?.read(stream)) ?? [];
    expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(ids));
  });

  it('lets one of 64 concurrent appends win, and returns the head in a conflict', async () => {
    const store = open();
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

  it('returns the result of the first append when the same append is repeated', async () => {
    const store = open();
    const stream = newStream();
    const request = { stream, expectedRevision: NO_STREAM, events: [event(), event()] };
    const first = await store.append(request);
    await store.append({ stream, expectedRevision: 1, events: [event()] });
    expect(await store.append(request)).toEqual(first);
    expect(await store.read(stream)).toHaveLength(3);
  });

  it('rejects an append over the size limit', async () => {
    const store = open();
    const tooLarge = event(newId(), { text: 'x'.repeat(1_048_577) });
    await expect(
      store.append({ stream: newStream(), expectedRevision: NO_STREAM, events: [tooLarge] }),
    ).rejects.toMatchObject({ type: 'maximum-append-size-exceeded' });
  });
});

describe.each(transports)(
  'official client on the streams of a store over $over',
  ({ open, url }) => {
    const connectOfficial = () => {
      const client = EventStoreDBClient.connectionString(url());
      onTestFinished(() => client.dispose());
      return client;
    };

    it('reads the gateway’s events, and the gateway reads its events', async () => {
      const [store, official] = [open(), connectOfficial()];
      const stream = newStream();
      const [own, foreign] = [event(), event()];
      await store.append({ stream, expectedRevision: NO_STREAM, events: [own] });
      const { id, type, metadata } = foreign;
      const appended = jsonEvent({ id, type, data: { text: 'Привет 🙂' }, metadata });
      const { position } = await official.appendToStream(stream, appended, {
        expectedRevision: 0n,
      });
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

    it('reports the same conflict as the gateway’s client', async () => {
      const [store, official] = [open(), connectOfficial()];
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
  },
);

describe.each(transports)('subscription over $over', ({ open }) => {
  /** A store, a prefix of its streams, and an append of these types of events to such a stream. */
  const openWith = (topic: string) => {
    const store = open();
    const prefix = `${topic}${newId().slice(0, 8)}`;
    const append = (name: string, ...types: string[]) =>
      store.append({
        stream: `${prefix}-${name}`,
        expectedRevision: NO_STREAM,
        events: types.map((type) => ({ ...event(), type })),
      });
    /** Reads a subscription until it has delivered this many events. */
    const follow = async (
      count: number,
      options: Partial<Parameters<EventStore['subscribe']>[0]> = {},
      onCaughtUp: (seen: number) => Promise<unknown> = () => Promise.resolve(),
    ) => {
      const stop = new AbortController();
      const filter = { streamPrefixes: [`${prefix}-`] };
      const seen: string[] = [];
      for await (const batch of store.subscribe({ filter, ...options, signal: stop.signal })) {
        for (const item of batch) {
          if (item.kind === 'event') seen.push(`${item.event.stream} ${item.event.type}`);
          if (item.kind === 'caught_up') await onCaughtUp(seen.length);
        }
        if (seen.length >= count) stop.abort();
      }
      return seen;
    };
    return { store, prefix, append, follow };
  };

  it('delivers history, then caught_up, then live events', async () => {
    const { prefix, append, follow } = openWith('follow');
    await append('a', 'Happened');
    await append('b', 'Happened');
    let caughtUpAfter = -1;
    const seen = await follow(3, {}, (count) => {
      caughtUpAfter = count;
      return append('c', 'Happened');
    });
    expect(caughtUpAfter).toBe(2);
    expect(seen).toEqual(['a', 'b', 'c'].map((name) => `${prefix}-${name} Happened`));
  });

  it('resumes after the given position', async () => {
    const { prefix, append, follow } = openWith('resume');
    const first = await append('a', 'Happened');
    await append('b', 'Happened');
    await append('c', 'Happened');
    if (first.outcome !== 'appended') throw new Error(first.outcome);
    const seen = await follow(2, { after: first.position });
    expect(seen).toEqual([`${prefix}-b Happened`, `${prefix}-c Happened`]);
  });

  it('omits excluded types from history and from live events', async () => {
    const { store, prefix, append, follow } = openWith('except');
    await append('a', 'Wanted', 'Unwanted', 'UnwantedNot');
    await append('b', 'Unwanted');
    const other = { stream: `other-${prefix}`, expectedRevision: NO_STREAM, events: [event()] };
    await store.append(other);
    const filter = { streamPrefixes: [`${prefix}-`], exceptTypes: ['Unwanted', 'Others'] };
    const seen = await follow(3, { filter }, () => append('c', 'Unwanted', 'Live'));
    expect(seen).toEqual([`${prefix}-a Wanted`, `${prefix}-a UnwantedNot`, `${prefix}-c Live`]);
  });

  it('delivers every event in order to a slow consumer, in bounded batches', async () => {
    const store = open();
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

describe('append over an unreliable connection', () => {
  it('has an outcome that the log confirms, and writes nothing twice', async () => {
    const { proxy, store } = await useProxiedStore();
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
    const { proxy, store } = await useProxiedStore();
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
    const { proxy, store } = await useProxiedStore();
    const stream = newStream();
    await store.append({ stream, expectedRevision: NO_STREAM, events: [event()] });
    proxy.stall();
    await expect(store.read(stream, { deadlineMs: 300 })).rejects.toThrow(/within 300 ms/);
    proxy.resume();
    expect(await store.read(stream)).toHaveLength(1);
  });
});
