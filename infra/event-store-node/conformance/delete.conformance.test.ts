import { ANY, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client';
import type { ServiceError } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import {
  collect,
  event,
  freshStream,
  rejection,
  sharedClient,
  writtenStream,
} from './support/store.ts';

const client = sharedClient();

const rawMetadata = async (stream: string) =>
  (await collect(client.readStream(`$$${stream}`))).map((read) => read.event?.data);
/** The trailers of the gRPC error that the client's error was made from. */
const trailers = (error: Error & Record<string, unknown>) =>
  (error['_raw'] as ServiceError).metadata.getMap();

describe('soft delete', () => {
  it.each([ANY, 3n] as const)(
    'makes the stream not found with %s, and returns a position',
    async (expectedRevision) => {
      const stream = await writtenStream(client);
      const { position } = await client.deleteStream(stream, { expectedRevision });
      expect(position?.commit).toBeGreaterThan(0n);
      expect(await rejection(collect(client.readStream(stream)))).toMatchObject({
        type: 'stream-not-found',
      });
    },
  );

  it('writes $tb of 2^63-1 to the metadata stream and drops its other fields', async () => {
    const stream = await writtenStream(client);
    await client.setStreamMetadata(stream, { maxCount: 10, flavour: 'kept?' });
    await client.deleteStream(stream);
    const stored = await collect(
      client.readStream(`$$${stream}`, {
        direction: 'backwards',
        fromRevision: 'end',
        maxCount: 1,
      }),
    );
    expect(stored[0]?.event?.type).toBe('$metadata');
    // 2^63-1 as the client's JSON.parse reads it.
    expect(stored[0]?.event?.data).toEqual({ $tb: Number(9_223_372_036_854_775_807n) });
  });

  it.each([NO_STREAM, ANY, 3n] as const)(
    'lets the stream restart after its old head (%s)',
    async (expectedRevision) => {
      const stream = await writtenStream(client);
      await client.deleteStream(stream);
      const again = event(100);
      const result = await client.appendToStream(stream, again, { expectedRevision });
      expect(result.nextExpectedRevision).toBe(4n);
      const read = await collect(client.readStream(stream));
      expect(read.map((resolved) => [resolved.event?.id, resolved.event?.revision])).toEqual([
        [again.id, 4n],
      ]);
      const metadata = await rawMetadata(stream);
      expect(metadata.at(-1)).toEqual({ $tb: 4 });
    },
  );

  it.each([
    ['one behind', 2n, { type: 'wrong-expected-version', actualVersion: 3n }],
    ['stream_exists', STREAM_EXISTS, { type: 'stream-deleted' }],
  ] as const)('prevents an append with %s', async (_, expectedRevision, expected) => {
    const stream = await writtenStream(client);
    await client.deleteStream(stream);
    const error = await rejection(client.appendToStream(stream, event(), { expectedRevision }));
    expect(error).toMatchObject(expected);
  });

  it('succeeds a second time', async () => {
    const stream = await writtenStream(client);
    await client.deleteStream(stream, { expectedRevision: ANY });
    await expect(client.deleteStream(stream, { expectedRevision: ANY })).resolves.toHaveProperty(
      'position',
    );
    expect(await rejection(collect(client.readStream(stream)))).toMatchObject({
      type: 'stream-not-found',
    });
  });

  it('can be repeated after each restart', async () => {
    const stream = await writtenStream(client, 2);
    for (const next of [2n, 3n, 4n]) {
      await client.deleteStream(stream);
      const result = await client.appendToStream(stream, event(), { expectedRevision: NO_STREAM });
      expect(result.nextExpectedRevision).toBe(next);
    }
    expect(await collect(client.readStream(stream))).toHaveLength(1);
  });
});

describe.each([
  ['deleteStream', 'Delete failed'],
  ['tombstoneStream', 'Delete failed'],
] as const)('%s with a wrong expected revision', (method, message) => {
  it('names stream, expected and actual revision in message and trailers', async () => {
    const stream = await writtenStream(client);
    const error = await rejection(client[method](stream, { expectedRevision: 99n }));
    expect(error).toMatchObject({
      type: 'wrong-expected-version',
      code: 9,
      streamName: stream,
      expectedVersion: 99n,
      actualVersion: 3n,
    });
    expect(error.message).toContain(
      `${message} due to WrongExpectedVersion. Stream: ${stream}, Expected version: 99, Actual version: 3`,
    );
    expect(trailers(error)).toMatchObject({
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': '99',
      'actual-version': '3',
    });
    expect(await collect(client.readStream(stream))).toHaveLength(4);
  });

  it.each([
    ['NO_STREAM as -1', NO_STREAM, -1n],
    ['a revision behind the head', 1n, 1n],
  ] as const)('returns %s for an existing stream', async (_, expectedRevision, expectedVersion) => {
    const stream = await writtenStream(client);
    const error = await rejection(client[method](stream, { expectedRevision }));
    expect(error).toMatchObject({
      type: 'wrong-expected-version',
      expectedVersion,
      actualVersion: 3n,
    });
  });

  it('returns -1 as the actual revision of a missing stream', async () => {
    const error = await rejection(client[method](freshStream(), { expectedRevision: 5n }));
    expect(error).toMatchObject({
      type: 'wrong-expected-version',
      expectedVersion: 5n,
      actualVersion: -1n,
    });
  });
});

describe('deleting a stream that never existed', () => {
  it.each([
    ['ANY', ANY, -2n],
    ['NO_STREAM', NO_STREAM, -1n],
  ] as const)(
    'is a wrong expected version with %s',
    async (_, expectedRevision, expectedVersion) => {
      const error = await rejection(client.deleteStream(freshStream(), { expectedRevision }));
      expect(error).toMatchObject({
        type: 'wrong-expected-version',
        expectedVersion,
        actualVersion: -1n,
      });
    },
  );
});

describe('deleting a stream that has only metadata', () => {
  it.each([NO_STREAM, ANY] as const)('succeeds with %s', async (expectedRevision) => {
    const stream = freshStream();
    await client.setStreamMetadata(stream, { maxCount: 10 });
    const { position } = await client.deleteStream(stream, { expectedRevision });
    expect(position?.commit).toBeGreaterThan(0n);
    expect((await rawMetadata(stream)).at(-1)).toEqual({ $tb: Number(9_223_372_036_854_775_807n) });
    const again = await client.appendToStream(stream, event(), { expectedRevision: NO_STREAM });
    expect(again.nextExpectedRevision).toBe(0n);
    expect(await collect(client.readStream(stream))).toHaveLength(1);
  });

  it('is a wrong expected version at a revision', async () => {
    const stream = freshStream();
    await client.setStreamMetadata(stream, { maxCount: 10 });
    const error = await rejection(client.deleteStream(stream, { expectedRevision: 0n }));
    expect(error).toMatchObject({ type: 'wrong-expected-version', actualVersion: -1n });
  });
});
