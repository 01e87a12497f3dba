import { describe, expect, it } from 'vitest';
import { jsonMetadata, rawAppend } from './support/raw-append.ts';
import { rawRead, readRecordedEvent } from './support/raw-read.ts';
import { collect, event, events, freshStream, sharedClient } from './support/store.ts';

const client = sharedClient();

describe('Append on the wire', () => {
  it('returns revision and position', async () => {
    const { response } = await rawAppend({
      stream: freshStream(),
      expected: 'no_stream',
      proposals: [{}, {}],
    });
    const success = response?.getSuccess();
    expect(success?.getCurrentRevision()).toBe('1');
    const position = success?.getPosition();
    expect(Number(position?.getCommitPosition())).toBeGreaterThan(0);
    expect(position?.getPreparePosition()).toBe(position?.getCommitPosition());
  });

  it('returns a wrong expected version with the old and the new fields', async () => {
    const stream = freshStream();
    await client.appendToStream(stream, events(2));
    const { response, ending } = await rawAppend({ stream, expected: 7n, proposals: [{}] });
    expect(ending).toBeUndefined();
    const wrong = response?.getWrongExpectedVersion();
    expect(wrong?.getCurrentRevision()).toBe('1');
    expect(wrong?.getExpectedRevision()).toBe('7');
    expect(wrong?.getCurrentRevision2060()).toBe(1);
    expect(wrong?.getExpectedRevision2060()).toBe(7);
  });

  it('returns 2^64-1 in the old field for an expected NO_STREAM', async () => {
    const stream = freshStream();
    await client.appendToStream(stream, event());
    const { response } = await rawAppend({ stream, expected: 'no_stream', proposals: [{}] });
    const wrong = response?.getWrongExpectedVersion();
    expect(wrong?.hasExpectedNoStream()).toBe(true);
    expect(wrong?.getCurrentRevision()).toBe('0');
    // The stub holds the number as a double.
    expect(wrong?.getExpectedRevision2060()).toBe(Number(18_446_744_073_709_551_615n));
  });

  it('returns current_no_stream for a missing stream', async () => {
    const { response } = await rawAppend({
      stream: freshStream(),
      expected: 'stream_exists',
      proposals: [{}],
    });
    const wrong = response?.getWrongExpectedVersion();
    expect(wrong?.hasCurrentNoStream()).toBe(true);
    expect(wrong?.hasExpectedStreamExists()).toBe(true);
  });

  it.each([
    ['type', { 'content-type': 'application/json' }],
    ['content-type', { type: 'tested' }],
  ])('rejects an event without %s, by name', async (missing, metadata) => {
    const { ending } = await rawAppend({ stream: freshStream(), proposals: [{ metadata }] });
    expect(ending?.code).toBe(3);
    expect(ending?.details).toContain(`Required Metadata Property '${missing}' is missing`);
    expect(ending?.trailers).toMatchObject({
      exception: 'missing-required-metadata-property',
      'required-metadata-properties': 'type,content-type',
    });
  });

  it('rejects an event without an id', async () => {
    const { ending } = await rawAppend({ stream: freshStream(), proposals: [{ id: null }] });
    expect(ending?.code).toBe(2);
  });

  it('rejects an all-zero id', async () => {
    const id = '00000000-0000-0000-0000-000000000000';
    const { ending } = await rawAppend({ stream: freshStream(), proposals: [{ id }] });
    expect(ending?.code).toBe(2);
  });

  it('rejects a call that does not begin with options', async () => {
    const { ending } = await rawAppend({ stream: freshStream(), proposals: [{}], options: false });
    expect(ending?.code).toBe(2);
  });

  it('rejects a tombstoned stream by name', async () => {
    const stream = freshStream();
    await client.tombstoneStream(stream);
    const { ending } = await rawAppend({ stream, proposals: [{}] });
    expect(ending).toMatchObject({
      code: 9,
      details: `Event stream '${stream}' is deleted.`,
      trailers: { exception: 'stream-deleted', 'stream-name': stream },
    });
  });

  it('rejects too large an append by name', async () => {
    const { ending } = await rawAppend({
      stream: freshStream(),
      proposals: [{ data: new Uint8Array(1_048_577) }],
    });
    expect(ending).toMatchObject({
      code: 3,
      trailers: { exception: 'maximum-append-size-exceeded', 'maximum-append-size': '1048576' },
    });
  });

  it('drops metadata of the client other than type and content-type', async () => {
    const stream = freshStream();
    await rawAppend({
      stream,
      proposals: [{ metadata: { ...jsonMetadata, created: '17', flavour: 'x' } }],
    });
    const { messages } = await rawRead({ stream, count: 1 });
    const metadata = Object.fromEntries(readRecordedEvent(messages[0]!).getMetadataMap().toArray());
    expect(Object.keys(metadata).toSorted()).toEqual(['content-type', 'created', 'type']);
    expect(metadata['created']).not.toBe('17');
  });

  it('stores invalid JSON unchanged', async () => {
    const stream = freshStream();
    await rawAppend({ stream, proposals: [{ data: new TextEncoder().encode('{"half":') }] });
    const [read] = await collect(client.readStream(stream));
    expect(read?.event).toMatchObject({ isJson: true, data: '{"half":' });
  });
});
