import { BACKWARDS, binaryEvent, END, FORWARDS, NO_STREAM, START } from '@eventstore/db-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { rawRead } from './support/raw-read.ts';
import { collect, events, freshStream, rejection, sharedClient } from './support/store.ts';

const client = sharedClient();
const stream = freshStream('read');
const written = events(10);

const revisions = async (options: Parameters<typeof client.readStream>[1]) =>
  (await collect(client.readStream(stream, options))).map((read) => Number(read.event?.revision));

beforeAll(async () => {
  await client.appendToStream(stream, written, { expectedRevision: NO_STREAM });
});

describe('reading a stream forwards', () => {
  it('returns all events in order', async () => {
    const read = await collect(client.readStream(stream));
    expect(read.map(({ event }) => event?.id)).toEqual(written.map(({ id }) => id));
    expect(read.map(({ event }) => Number(event?.revision))).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
  });

  it('starts at the requested revision', async () => {
    expect(await revisions({ fromRevision: 7n })).toEqual([7, 8, 9]);
  });

  it('stops at the count', async () => {
    expect(await revisions({ fromRevision: START, maxCount: 3 })).toEqual([0, 1, 2]);
    expect(await revisions({ fromRevision: 8n, maxCount: 3 })).toEqual([8, 9]);
  });

  it('returns nothing past the end', async () => {
    expect(await revisions({ fromRevision: 10n })).toEqual([]);
    expect(await revisions({ fromRevision: 1000n })).toEqual([]);
  });
});

describe('reading a stream backwards', () => {
  it('returns all events from the end', async () => {
    expect(await revisions({ direction: BACKWARDS, fromRevision: END })).toEqual([
      9, 8, 7, 6, 5, 4, 3, 2, 1, 0,
    ]);
  });

  it('starts at the requested revision', async () => {
    expect(await revisions({ direction: BACKWARDS, fromRevision: 2n })).toEqual([2, 1, 0]);
  });

  it('stops at the count', async () => {
    expect(await revisions({ direction: BACKWARDS, fromRevision: END, maxCount: 1 })).toEqual([9]);
  });

  it('starts at the head if the revision is beyond it', async () => {
    expect(await revisions({ direction: BACKWARDS, fromRevision: 50n, maxCount: 2 })).toEqual([
      9, 8,
    ]);
  });

  it('returns only the first event from the start', async () => {
    expect(await revisions({ direction: BACKWARDS, fromRevision: START })).toEqual([0]);
  });
});

describe('an invalid read of a stream', () => {
  it('fails forwards from the end', async () => {
    const error = await rejection(
      collect(client.readStream(stream, { direction: FORWARDS, fromRevision: END })),
    );
    expect(error).toMatchObject({ type: 'unknown', code: 2 });
    expect(error.message).toContain('Unexpected ReadStreamResult: Error');
  });

  it('fails with a count of 0', async () => {
    const { ending } = await rawRead({ stream, count: 0 });
    expect(ending).toMatchObject({ code: 2, details: 'Unexpected ReadStreamResult: Error' });
  });

  it('fails for a missing stream', async () => {
    const missing = freshStream();
    const error = await rejection(collect(client.readStream(missing)));
    expect(error).toMatchObject({ type: 'stream-not-found', streamName: missing });
  });

  it('fails for a missing stream, read backwards', async () => {
    const error = await rejection(
      collect(client.readStream(freshStream(), { direction: BACKWARDS, fromRevision: END })),
    );
    expect(error).toMatchObject({ type: 'stream-not-found' });
  });
});

describe('many events', () => {
  it('are returned completely in both directions, across pages', async () => {
    const long = freshStream('long');
    for (let n = 0; n < 4; n += 1) await client.appendToStream(long, events(300));
    const forwards = (await collect(client.readStream(long))).map((read) => read.event?.revision);
    expect(forwards).toEqual(Array.from({ length: 1200 }, (_, n) => BigInt(n)));
    const options = { direction: BACKWARDS, fromRevision: END } as const;
    const backwards = (await collect(client.readStream(long, options))).map(
      (read) => read.event?.revision,
    );
    expect(backwards).toEqual(forwards.toReversed());
  });

  it('are returned completely if each is a megabyte', async () => {
    const large = freshStream('large');
    for (let n = 0; n < 8; n += 1) {
      await client.appendToStream(
        large,
        binaryEvent({ type: 'large', data: new Uint8Array(1_000_000).fill(n) }),
      );
    }
    const read = await collect(client.readStream(large));
    const contents = read.map(({ event }) => event?.data as Uint8Array);
    expect(contents.map(({ length }) => length)).toEqual(
      Array.from({ length: 8 }, () => 1_000_000),
    );
    expect(contents.map((data) => data.at(-1))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('are returned completely to 200 concurrent readers', async () => {
    const read = await Promise.all(
      Array.from({ length: 200 }, () => collect(client.readStream(stream))),
    );
    expect(read.map(({ length }) => length)).toEqual(read.map(() => 10));
  });

  it('may be abandoned in the middle of a read', async () => {
    const long = freshStream('left');
    for (let n = 0; n < 4; n += 1) await client.appendToStream(long, events(300));
    for (let n = 0; n < 10; n += 1) {
      for await (const { event } of client.readStream(long)) {
        if (event?.revision === 5n) break;
      }
    }
    expect(await collect(client.readStream(long))).toHaveLength(1200);
  });
});
