import { NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it, vi } from 'vitest';
import { openRead, readRecordedEvent } from './support/raw-read.ts';
import {
  collect,
  events,
  freshStream,
  rejection,
  sharedClient,
  writtenStream,
} from './support/store.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

const client = sharedClient();

const revisions = async (stream: string, options: Parameters<typeof client.readStream>[1] = {}) =>
  (await collect(client.readStream(stream, options))).map((read) => Number(read.event?.revision));

describe('stream metadata', () => {
  it('is returned as it was set, with custom keys', async () => {
    const stream = await writtenStream(client, 1);
    const metadata = {
      maxCount: 5,
      maxAge: 3600,
      truncateBefore: 0,
      cacheControl: 30,
      acl: { readRoles: ['$admins'], writeRoles: ['$admins'] },
      owner: { team: 'ledger' },
    };
    await client.setStreamMetadata(stream, metadata);
    expect((await client.getStreamMetadata(stream)).metadata).toEqual(metadata);
  });

  it('is absent if never set, also for a missing stream', async () => {
    const stream = await writtenStream(client, 1);
    expect(await client.getStreamMetadata(stream)).toEqual({ streamName: stream });
    const missing = freshStream();
    expect(await client.getStreamMetadata(missing)).toEqual({ streamName: missing });
  });

  it('is replaced, not merged', async () => {
    const stream = await writtenStream(client, 1);
    await client.setStreamMetadata(stream, { maxCount: 5, colour: 'red' });
    await client.setStreamMetadata(stream, { maxCount: 6 });
    expect((await client.getStreamMetadata(stream)).metadata).toEqual({ maxCount: 6 });
  });

  it('is guarded by an expected revision', async () => {
    const stream = await writtenStream(client, 1);
    await client.setStreamMetadata(stream, { maxCount: 5 }, { expectedRevision: NO_STREAM });
    const error = await rejection(
      client.setStreamMetadata(stream, { maxCount: 6 }, { expectedRevision: NO_STREAM }),
    );
    expect(error).toMatchObject({
      type: 'wrong-expected-version',
      streamName: `$$${stream}`,
      actualVersion: 0n,
    });
  });

  // The client calls it a revision.
  it('has a log position as metastreamRevision in the client', async () => {
    const stream = await writtenStream(client, 1);
    const { position } = await client.setStreamMetadata(stream, { maxCount: 5 });
    expect((await client.getStreamMetadata(stream)).metastreamRevision).toBe(position?.commit);
  });

  it('can be set before the stream exists, which remains not found', async () => {
    const stream = freshStream();
    await client.setStreamMetadata(stream, { maxCount: 2 });
    expect(await rejection(collect(client.readStream(stream)))).toMatchObject({
      type: 'stream-not-found',
    });
    await client.appendToStream(stream, events(5), { expectedRevision: NO_STREAM });
    expect(await revisions(stream)).toEqual([3, 4]);
  });
});

describe('$maxCount', () => {
  it('retains the newest events', async () => {
    const stream = await writtenStream(client, 10);
    await client.setStreamMetadata(stream, { maxCount: 3 });
    expect(await revisions(stream)).toEqual([7, 8, 9]);
    expect(await revisions(stream, { fromRevision: 2n })).toEqual([7, 8, 9]);
    expect(await revisions(stream, { direction: 'backwards', fromRevision: 'end' })).toEqual([
      9, 8, 7,
    ]);
    await client.appendToStream(stream, events(1), { expectedRevision: 9n });
    expect(await revisions(stream)).toEqual([8, 9, 10]);
  });

  it('applies to a subscription', async () => {
    const stream = await writtenStream(client, 10);
    await client.setStreamMetadata(stream, { maxCount: 2 });
    const subscription = openRead({ stream });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    const seen = subscription.messages
      .filter((message) => message.hasEvent())
      .map(readRecordedEvent);
    expect(seen.map((recorded) => recorded.getStreamRevision())).toEqual(['8', '9']);
  });
});

describe('$tb', () => {
  it('hides all earlier events', async () => {
    const stream = await writtenStream(client, 6);
    await client.setStreamMetadata(stream, { truncateBefore: 4 });
    expect(await revisions(stream)).toEqual([4, 5]);
    expect(await revisions(stream, { direction: 'backwards', fromRevision: 'end' })).toEqual([
      5, 4,
    ]);
  });

  it('leaves an empty stream, not a missing one, if it is beyond the head', async () => {
    const stream = await writtenStream(client, 3);
    await client.setStreamMetadata(stream, { truncateBefore: 100 });
    expect(await revisions(stream)).toEqual([]);
    await client.appendToStream(stream, events(1), { expectedRevision: 2n });
  });

  it('can be reverted: the events still exist', async () => {
    const stream = await writtenStream(client, 3);
    await client.setStreamMetadata(stream, { truncateBefore: 2 });
    await client.setStreamMetadata(stream, {});
    expect(await revisions(stream)).toEqual([0, 1, 2]);
  });
});

it.each([
  [{ maxCount: 20 }, 10],
  [{ truncateBefore: 4, maxCount: 2 }, 2],
  [{ truncateBefore: 9, maxCount: 2 }, 1],
])('%j leave that many of ten events visible: %i', async (metadata, count) => {
  const stream = await writtenStream(client, 10);
  await client.setStreamMetadata(stream, metadata);
  expect(await revisions(stream)).toHaveLength(count);
});

describe('$maxAge', () => {
  it('hides old events', async () => {
    const stream = await writtenStream(client, 3);
    await client.setStreamMetadata(stream, { maxAge: 3600 });
    expect(await revisions(stream)).toEqual([0, 1, 2]);
    await client.setStreamMetadata(stream, { maxAge: 1 });
    await vi.waitFor(async () => expect(await revisions(stream)).toEqual([]), {
      timeout: waitLimitMs,
      interval: 50,
    });
    await client.appendToStream(stream, events(1), { expectedRevision: 2n });
    expect(await revisions(stream)).toEqual([3]);
  });
});
