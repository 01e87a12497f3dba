import { ANY, NO_STREAM, STREAM_EXISTS, WrongExpectedVersionError } from '@eventstore/db-client';
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
} from './support/store.ts';

const client = sharedClient();

describe.each(appendPaths)('expected revision ($path path)', ({ via }) => {
  const append = appender(client, via);

  it.each([NO_STREAM, ANY] as const)(
    'starts a new stream at revision 0 with %s',
    async (expectedRevision) => {
      const result = await append(freshStream(), event(), expectedRevision);
      expect(result).toMatchObject({ success: true, nextExpectedRevision: 0n });
      expect(result.position?.commit).toBeGreaterThan(0n);
      expect(result.position?.prepare).toBe(result.position?.commit);
    },
  );

  it('returns the revision of the last of several events', async () => {
    const result = await append(freshStream(), events(5));
    expect(result.nextExpectedRevision).toBe(4n);
  });

  it.each([1n, ANY, STREAM_EXISTS] as const)(
    'continues a stream at revision 1 with %s',
    async (expectedRevision) => {
      const stream = freshStream();
      await append(stream, events(2));
      const result = await append(stream, event(), expectedRevision);
      expect(result.nextExpectedRevision).toBe(2n);
    },
  );

  it('starts a stream that has only metadata with STREAM_EXISTS', async () => {
    const stream = freshStream();
    await client.setStreamMetadata(stream, { maxCount: 10 });
    const expectedRevision = STREAM_EXISTS;
    const result = await append(stream, event(), expectedRevision);
    expect(result.nextExpectedRevision).toBe(0n);
  });

  it('defaults to ANY in the client, so that no conflict is reported', async () => {
    const stream = freshStream();
    await client.appendToStream(stream, event(), { ...via });
    const result = await client.appendToStream(stream, event(), { ...via });
    expect(result.nextExpectedRevision).toBe(1n);
  });

  it.each([
    ['no_stream', NO_STREAM],
    ['one behind', 0n],
    ['one ahead', 2n],
    ['far ahead', 9_000_000_000_000_000_000n],
  ] as const)('fails with %s on a stream at revision 1', async (_, expectedRevision) => {
    const stream = freshStream();
    await client.appendToStream(stream, events(2), { expectedRevision: NO_STREAM });
    const error = await rejection(append(stream, event(), expectedRevision));
    expect(error).toBeInstanceOf(WrongExpectedVersionError);
    expect(error).toMatchObject({
      type: 'wrong-expected-version',
      streamName: stream,
      expectedVersion: expectedRevision,
      actualVersion: 1n,
    });
  });

  it.each([0n, 7n, STREAM_EXISTS] as const)(
    'fails with %s on a missing stream, and reports no_stream',
    async (expectedRevision) => {
      const stream = freshStream();
      const error = await rejection(append(stream, event(), expectedRevision));
      expect(error).toMatchObject({
        type: 'wrong-expected-version',
        streamName: stream,
        expectedVersion: expectedRevision,
        actualVersion: 'no_stream',
      });
    },
  );

  it('causes an error with an empty message and no code', async () => {
    const error = await rejection(append(freshStream(), event(), 3n));
    expect(error.message).toBe('');
    expect(error['code']).toBeUndefined();
  });

  it('writes no event of a rejected append', async () => {
    const stream = freshStream();
    const first = event();
    await client.appendToStream(stream, first, { expectedRevision: NO_STREAM });
    await rejection(append(stream, events(3), 5n));
    const stored = await collect(client.readStream(stream));
    expect(stored.map((read) => read.event?.id)).toEqual([first.id]);
  });
});
