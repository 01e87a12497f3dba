import { binaryEvent, MaxAppendSizeExceededError, NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import {
  appender,
  appendPaths,
  collect,
  events,
  freshStream,
  rejection,
  sharedClient,
} from './support/store.ts';

const client = sharedClient();
const limitBytes = 1_048_576;
const sized = (dataBytes: number, metadataBytes = 0) =>
  binaryEvent({
    type: 'sized',
    data: new Uint8Array(dataBytes).fill(7),
    ...(metadataBytes > 0 ? { metadata: new Uint8Array(metadataBytes).fill(1) } : {}),
  });

describe.each(appendPaths)('the size limit of an append ($path path)', ({ via }) => {
  const append = appender(client, via);

  it('accepts exactly 1 MiB of data and returns it unchanged', async () => {
    const stream = freshStream();
    await append(stream, sized(limitBytes));
    const [read] = await collect(client.readStream(stream));
    const data = read?.event?.data as Uint8Array;
    expect(data.length).toBe(limitBytes);
    expect(data.every((byte) => byte === 7)).toBe(true);
  });

  it('rejects one byte more, and writes nothing', async () => {
    const stream = freshStream();
    const error = await rejection(append(stream, sized(limitBytes + 1)));
    expect(error).toBeInstanceOf(MaxAppendSizeExceededError);
    expect(error).toMatchObject({
      type: 'maximum-append-size-exceeded',
      maxAppendSize: limitBytes,
    });
    expect(await rejection(collect(client.readStream(stream)))).toMatchObject({
      type: 'stream-not-found',
    });
  });

  it('applies to the sum of an append, not to a single event', async () => {
    const half = limitBytes / 2;
    await append(freshStream(), [sized(half), sized(half)]);
    const error = await rejection(append(freshStream(), [sized(half), sized(half), sized(1)]));
    expect(error).toMatchObject({
      type: 'maximum-append-size-exceeded',
      maxAppendSize: limitBytes,
    });
  });

  // The real server intends to count metadata and type too, but does not (a mistake in operator
  // precedence). Clients may rely on what it accepts, so the node does the same.
  it('does not count metadata', async () => {
    const result = await append(freshStream(), sized(limitBytes, 4096));
    expect(result.nextExpectedRevision).toBe(0n);
  });

  it('rejects a far larger append', async () => {
    const error = await rejection(append(freshStream(), sized(5 * limitBytes)));
    expect(error).toMatchObject({
      type: 'maximum-append-size-exceeded',
      maxAppendSize: limitBytes,
    });
  });

  it('accepts 2,000 events in one append', async () => {
    const stream = freshStream();
    const many = events(2000);
    const result = await append(stream, many);
    expect(result.nextExpectedRevision).toBe(1999n);
    const read = await collect(client.readStream(stream));
    expect(read.map(({ event }) => event?.id)).toEqual(many.map(({ id }) => id));
  });

  it('leaves the store usable after a rejection', async () => {
    await rejection(client.appendToStream(freshStream(), sized(limitBytes + 1), { ...via }));
    const result = await append(freshStream(), sized(10));
    expect(result.success).toBe(true);
  });
});

describe('batchAppendSize of the client', () => {
  it('splits an append into chunks, which remain one append', async () => {
    const stream = freshStream();
    const many = events(50);
    const options = { expectedRevision: NO_STREAM, batchAppendSize: 300 } as const;
    expect((await client.appendToStream(stream, many, options)).nextExpectedRevision).toBe(49n);
    expect(await collect(client.readStream(stream))).toHaveLength(50);
    expect((await client.appendToStream(stream, many, options)).nextExpectedRevision).toBe(49n);
  });
});
