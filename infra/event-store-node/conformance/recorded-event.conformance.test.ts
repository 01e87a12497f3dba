import {
  binaryEvent,
  jsonEvent,
  NO_STREAM,
  type BinaryEventData,
  type JSONEventData,
} from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { jsonMetadata, rawAppend } from './support/raw-append.ts';
import { rawRead, readRecordedEvent } from './support/raw-read.ts';
import { appendPaths, collect, event, freshStream, sharedClient } from './support/store.ts';

const client = sharedClient();

const roundTrip = async (sent: JSONEventData | BinaryEventData, via = {}) => {
  const stream = freshStream();
  await client.appendToStream(stream, sent, { expectedRevision: NO_STREAM, ...via });
  const [read] = await collect(client.readStream(stream));
  return read!.event!;
};

describe.each(appendPaths)('content through the $path path', ({ via }) => {
  it('preserves JSON data and JSON metadata', async () => {
    const data = { text: 'żółć 💶 "q" \\ \u2028', nested: [1, 2.5, null, { a: true }], empty: {} };
    const metadata = { correlation_id: randomUUID(), note: 'ďakujem' };
    const read = await roundTrip(jsonEvent({ type: 'content', data, metadata }), via);
    expect(read).toMatchObject({ isJson: true, type: 'content', data, metadata, revision: 0n });
  });

  it('returns metadata sent as JSON bytes as JSON', async () => {
    const metadata = new TextEncoder().encode(JSON.stringify({ actor: 'shop' }));
    const read = await roundTrip(jsonEvent({ type: 'content', data: {}, metadata }), via);
    expect(read.metadata).toEqual({ actor: 'shop' });
  });

  it('returns other metadata bytes as bytes', async () => {
    const metadata = Uint8Array.from([0, 255, 1, 254]);
    const read = await roundTrip(jsonEvent({ type: 'content', data: {}, metadata }), via);
    expect([...(read.metadata as Uint8Array)]).toEqual([0, 255, 1, 254]);
  });

  it('returns missing metadata as undefined', async () => {
    const read = await roundTrip(jsonEvent({ type: 'content', data: {} }), via);
    expect(read.metadata).toBeUndefined();
  });

  it('preserves every byte of binary data', async () => {
    const data = Uint8Array.from({ length: 256 }, (_, n) => n);
    const read = await roundTrip(binaryEvent({ type: 'content', data }), via);
    expect(read.isJson).toBe(false);
    expect([...(read.data as Uint8Array)]).toEqual([...data]);
  });

  it('preserves empty binary data', async () => {
    const read = await roundTrip(binaryEvent({ type: 'content', data: new Uint8Array() }), via);
    expect(read.data).toHaveLength(0);
  });

  it('preserves an event type beyond ASCII', async () => {
    const read = await roundTrip(jsonEvent({ type: 'платёж принят', data: {} }), via);
    expect(read.type).toBe('платёж принят');
  });

  it('treats an id in capitals as the same id', async () => {
    const id = randomUUID();
    const read = await roundTrip(
      jsonEvent({ id: id.toUpperCase(), type: 'content', data: {} }),
      via,
    );
    expect(read.id).toBe(id);
  });
});

describe('stream names', () => {
  it.each([
    'plain',
    'with space',
    'ünïcode-名前-💶',
    'a/b?c=d&e#f',
    'semi;colon:"quote"',
    '-dash-',
    'x'.repeat(500),
  ])('may be %s', async (name) => {
    const stream = freshStream(name);
    const sent = event();
    await client.appendToStream(stream, sent, { expectedRevision: NO_STREAM });
    const [read] = await collect(client.readStream(stream));
    expect(read?.event).toMatchObject({ streamId: stream, id: sent.id });
    await expect(
      client.appendToStream(stream, event(), { expectedRevision: NO_STREAM }),
    ).rejects.toMatchObject({ streamName: stream });
  });

  it('are case-sensitive', async () => {
    const stream = freshStream('case');
    await client.appendToStream(stream, event());
    await expect(collect(client.readStream(stream.toUpperCase()))).rejects.toMatchObject({
      type: 'stream-not-found',
    });
  });
});

describe('the fields that the server adds', () => {
  it('include the time of the append as created', async () => {
    const before = Date.now();
    const { created } = await roundTrip(event());
    // Two clocks when the store is another machine.
    expect(Math.abs(created.getTime() - before)).toBeLessThan(60_000);
  });

  it('include the position, also as the commit position', async () => {
    const stream = freshStream();
    const { position } = await client.appendToStream(stream, event());
    const [read] = await collect(client.readStream(stream));
    expect(read?.event?.position).toEqual(position);
    expect(read?.commitPosition).toBe(position?.commit);
  });

  it.each([
    ['application/json', 'application/json'],
    ['application/octet-stream', 'application/octet-stream'],
    ['text/plain', 'application/octet-stream'],
  ])(
    'include type, created in ticks, and content type in the metadata (%s)',
    async (sent, recorded) => {
      const stream = freshStream();
      await rawAppend({
        stream,
        proposals: [{ metadata: { ...jsonMetadata, 'content-type': sent } }],
      });
      const { messages } = await rawRead({ stream, count: 1 });
      const metadata = Object.fromEntries(
        readRecordedEvent(messages[0]!).getMetadataMap().toArray(),
      );
      expect(Object.keys(metadata).toSorted()).toEqual(['content-type', 'created', 'type']);
      expect(metadata).toMatchObject({ type: 'tested', 'content-type': recorded });
      const createdMs = Number(BigInt(metadata['created'] ?? 0) / 10_000n);
      expect(Math.abs(createdMs - Date.now())).toBeLessThan(60_000);
    },
  );
});
