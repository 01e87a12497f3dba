import { NO_STREAM } from '@eventstore/db-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { structuredId } from './support/raw-batch.ts';
import { openRead, rawRead, readRecordedEvent } from './support/raw-read.ts';
import { events, freshStream, sharedClient } from './support/store.ts';

const client = sharedClient();
const stream = freshStream('read-wire');
const written = events(4);

beforeAll(async () => {
  await client.appendToStream(stream, written, { expectedRevision: NO_STREAM });
});

describe('stream positions in a read', () => {
  it('follow the events with compatibility 1', async () => {
    const { kinds, messages } = await rawRead({ stream, count: 10, compatibility: 1 });
    expect(kinds).toEqual(['event', 'event', 'event', 'event', 'last-stream-position']);
    expect(messages.at(-1)?.getLastStreamPosition()).toBe('3');
  });

  it('are returned by a read past the end', async () => {
    const { kinds, messages } = await rawRead({ stream, from: 100n, count: 10, compatibility: 1 });
    expect(kinds).toEqual(['first-stream-position', 'last-stream-position']);
    expect(messages[0]?.getFirstStreamPosition()).toBe('4');
    expect(messages[1]?.getLastStreamPosition()).toBe('3');
  });

  it.each([undefined, 0])('are absent with compatibility %s', async (compatibility) => {
    const { kinds } = await rawRead({
      stream,
      count: 2,
      ...(compatibility === 0 ? { compatibility } : {}),
    });
    expect(kinds).toEqual(['event', 'event']);
  });

  it('are absent in $all reads', async () => {
    const { kinds } = await rawRead({ count: 3, compatibility: 1 });
    expect(kinds).toEqual(['event', 'event', 'event']);
  });
});

describe('the headers of a read', () => {
  it('contain the time of the store, in whole seconds', async () => {
    const before = Math.floor(Date.now() / 1_000) * 1_000;
    const headers = await openRead({ stream, count: 1 }).headers;
    const at = Date.parse(String(headers.get('date')[0]));
    // A server may write it once a second.
    expect(at).toBeGreaterThanOrEqual(before - 1_000);
    expect(at).toBeLessThanOrEqual(Date.now());
  });
});

describe('events in a read', () => {
  it('have equal commit and prepare positions, in the event and next to it', async () => {
    const { messages } = await rawRead({ stream, count: 10 });
    for (const message of messages) {
      const recorded = readRecordedEvent(message);
      expect(recorded.getPreparePosition()).toBe(recorded.getCommitPosition());
      expect(message.getEvent()?.getCommitPosition()).toBe(recorded.getCommitPosition());
    }
  });

  it('have ids as strings on request', async () => {
    const { messages } = await rawRead({ stream, count: 1, uuid: 'string' });
    expect(readRecordedEvent(messages[0]!).getId()?.getString()).toBe(written[0]?.id);
  });

  it('have structured ids on request', async () => {
    const { messages } = await rawRead({ stream, count: 1, uuid: 'structured' });
    const id = readRecordedEvent(messages[0]!).getId();
    expect(id?.getStructured()?.toObject()).toEqual(
      structuredId(written[0]!.id).getStructured()?.toObject(),
    );
  });
});

describe('the end of a read', () => {
  it('is a message and status OK for a missing stream', async () => {
    const missing = freshStream();
    const { kinds, messages, ending } = await rawRead({ stream: missing, count: 10 });
    expect(kinds).toEqual(['stream-not-found']);
    const name = messages[0]?.getStreamNotFound()?.getStreamIdentifier()?.getStreamName_asU8();
    expect(Buffer.from(name ?? []).toString()).toBe(missing);
    expect(ending.code).toBe(0);
  });

  it('is a message and status OK for a soft-deleted stream', async () => {
    const deleted = freshStream();
    await client.appendToStream(deleted, events(2));
    await client.deleteStream(deleted);
    const { kinds, ending } = await rawRead({ stream: deleted, count: 10 });
    expect(kinds).toEqual(['stream-not-found']);
    expect(ending.code).toBe(0);
  });

  it('is status 9 with the name for a tombstoned stream', async () => {
    const deleted = freshStream();
    await client.tombstoneStream(deleted);
    const { kinds, ending } = await rawRead({ stream: deleted, count: 10 });
    expect(kinds).toEqual([]);
    expect(ending).toMatchObject({
      code: 9,
      details: `Event stream '${deleted}' is deleted.`,
      trailers: { exception: 'stream-deleted', 'stream-name': deleted },
    });
  });

  it('is status 3 without a filter option', async () => {
    const { ending } = await rawRead({ stream, count: 10, filter: 'unset' });
    expect(ending).toMatchObject({
      code: 3,
      details: 'The combination of (Stream, Count, Forwards, None) is invalid.',
    });
  });

  // The real server never answers a read without the form of ids. An error, or ids in some form,
  // is better.
  it('affects no other call if the uuid option is missing', async () => {
    const unclear = openRead({ stream, count: 1, uuid: 'unset' }, { deadlineMs: 300 });
    const { kinds } = await rawRead({ stream, count: 1 });
    expect(kinds).toEqual(['event']);
    const { code } = await unclear.ending;
    expect([0, 3, 4]).toContain(code);
  });
});
