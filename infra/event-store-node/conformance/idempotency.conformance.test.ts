import { ANY, NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import {
  appender,
  appendPaths,
  collect,
  event,
  events,
  freshStream,
  rejection,
  sharedClient,
  type TestEvent,
} from './support/store.ts';

const client = sharedClient();
const idsOf = async (stream: string) =>
  (await collect(client.readStream(stream))).map((read) => read.event?.id);

describe.each(appendPaths)('a retry with the same event ids ($path path)', ({ via }) => {
  const append = appender(client, via);

  it.each([ANY, NO_STREAM] as const)(
    'returns the original result and writes nothing with %s',
    async (expectedRevision) => {
      const stream = freshStream();
      const [first, later] = [event(), events(2)];
      const original = await append(stream, first, expectedRevision);
      expect(await append(stream, first, expectedRevision)).toEqual(original);
      await client.appendToStream(stream, later, { expectedRevision: 0n });
      expect(await append(stream, first, expectedRevision)).toEqual(original);
      expect(await idsOf(stream)).toEqual([first, ...later].map(({ id }) => id));
    },
  );

  it('returns the original result at an exact revision, also after later events', async () => {
    const stream = freshStream();
    const [head, retried, later] = [events(2), events(3), events(2)];
    await client.appendToStream(stream, head, { expectedRevision: NO_STREAM });
    const original = await append(stream, retried, 1n);
    expect(await append(stream, retried, 1n)).toEqual(original);
    await client.appendToStream(stream, later, { expectedRevision: 4n });
    expect(await append(stream, retried, 1n)).toEqual(original);
    expect(original.nextExpectedRevision).toBe(4n);
    expect(await idsOf(stream)).toEqual([...head, ...retried, ...later].map(({ id }) => id));
  });

  it('is recognised by ids, not content: the first content remains', async () => {
    const stream = freshStream();
    const first = event(1);
    const original = await append(stream, first);
    const changed = { ...first, data: { n: 2 } };
    expect(await append(stream, changed)).toEqual(original);
    const [read] = await collect(client.readStream(stream));
    expect(read?.event?.data).toEqual({ n: 1 });
  });

  it('is recognised through the other path', async () => {
    const stream = freshStream();
    const first = event();
    const original = await append(stream, first);
    const [other] = appendPaths.filter((candidate) => candidate.via !== via);
    expect(
      await client.appendToStream(stream, first, { expectedRevision: NO_STREAM, ...other?.via }),
    ).toEqual(original);
  });

  it('returns the revision of the second of two known events with ANY', async () => {
    const stream = freshStream();
    const pair = events(2);
    await append(stream, pair, ANY);
    const result = await append(stream, pair, ANY);
    expect(result.nextExpectedRevision).toBe(1n);
    expect(await idsOf(stream)).toHaveLength(2);
  });

  it('returns revision 0 for the first event of a long stream with ANY', async () => {
    const stream = freshStream();
    const all = events(4);
    await client.appendToStream(stream, all, { expectedRevision: NO_STREAM });
    const result = await append(stream, all[0]!, ANY);
    expect(result.nextExpectedRevision).toBe(0n);
  });
});

describe.each(appendPaths)('an append that is not a retry ($path path)', ({ via }) => {
  const append = appender(client, via);

  it.each([
    ['ANY', ANY, 'any'],
    ['NO_STREAM', NO_STREAM, 'no_stream'],
    ['exact', 0n, 0n],
  ] as const)(
    'is rejected if known events are followed by a new one (%s)',
    async (_, expectedRevision, expectedVersion) => {
      const stream = freshStream();
      const existing = events(2);
      await client.appendToStream(stream, existing, { expectedRevision: NO_STREAM });
      const from = expectedRevision === 0n ? existing.slice(1) : existing;
      const error = await rejection(append(stream, [...from, event()], expectedRevision));
      expect(error).toMatchObject({
        type: 'wrong-expected-version',
        expectedVersion,
        actualVersion: 1n,
      });
      expect(await idsOf(stream)).toHaveLength(2);
    },
  );

  it.each([
    ['other ids', NO_STREAM, () => events(3)],
    ['a known id at an earlier revision than its own', 0n, (all: TestEvent[]) => all.slice(2)],
    ['a known id that is not the first', NO_STREAM, (all: TestEvent[]) => all.slice(1, 2)],
    ['known ids in another order', NO_STREAM, (all: TestEvent[]) => all.toReversed()],
  ] as const)('is rejected with %s', async (_, expectedRevision, repeated) => {
    const stream = freshStream();
    const all = events(3);
    await client.appendToStream(stream, all, { expectedRevision: NO_STREAM });
    const error = await rejection(append(stream, repeated(all), expectedRevision));
    expect(error).toMatchObject({ type: 'wrong-expected-version', actualVersion: 2n });
  });

  it('is rejected in a soft-deleted stream if only some ids are known', async () => {
    const stream = freshStream();
    const all = events(3);
    await client.appendToStream(stream, all, { expectedRevision: NO_STREAM });
    await client.deleteStream(stream);
    const error = await rejection(append(stream, [all[0]!, event()]));
    expect(error).toMatchObject({ type: 'wrong-expected-version', actualVersion: 2n });
  });

  it('writes all its events with ANY if the first one is new', async () => {
    const stream = freshStream();
    const [known, first] = [event(), event()];
    await append(stream, known);
    await append(stream, [first, known], ANY);
    expect(await idsOf(stream)).toEqual([known.id, first.id, known.id]);
  });

  it('writes the same id again at the current revision', async () => {
    const stream = freshStream();
    const twice = event();
    await append(stream, twice);
    const second = await append(stream, twice, 0n);
    expect(second.nextExpectedRevision).toBe(1n);
    expect(await idsOf(stream)).toEqual([twice.id, twice.id]);
  });

  it.each([ANY, NO_STREAM] as const)(
    'writes the same id to another stream (%s)',
    async (expectedRevision) => {
      const [one, other] = [freshStream(), freshStream()];
      const both = event();
      await append(one, both, expectedRevision);
      await append(other, both, expectedRevision);
      expect(await idsOf(other)).toEqual([both.id]);
    },
  );

  it('writes an id twice if one append contains it twice', async () => {
    const stream = freshStream();
    const twice = event();
    const result = await append(stream, [twice, twice], ANY);
    expect(result.nextExpectedRevision).toBe(1n);
    expect(await idsOf(stream)).toEqual([twice.id, twice.id]);
  });
});
