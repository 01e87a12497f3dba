import { NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { rawAppend } from './support/raw-append.ts';
import { openBatch } from './support/raw-batch.ts';
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

describe.each(appendPaths)('append of no events ($path path)', ({ via }) => {
  const append = appender(client, via);

  it('succeeds on a new stream, shown as revision 0, without creating it', async () => {
    const stream = freshStream();
    const result = await append(stream, []);
    expect(result).toMatchObject({ success: true, nextExpectedRevision: 0n });
    expect(await rejection(collect(client.readStream(stream)))).toMatchObject({
      type: 'stream-not-found',
    });
  });

  it('leaves an existing stream unchanged', async () => {
    const stream = freshStream();
    await client.appendToStream(stream, events(3), { expectedRevision: NO_STREAM });
    const result = await append(stream, [], 2n);
    expect(result.success).toBe(true);
    expect(await collect(client.readStream(stream))).toHaveLength(3);
    const next = await client.appendToStream(stream, event(), { expectedRevision: 2n });
    expect(next.nextExpectedRevision).toBe(3n);
  });

  it('is rejected at a revision other than the head', async () => {
    const stream = freshStream();
    await client.appendToStream(stream, events(3), { expectedRevision: NO_STREAM });
    for (const expectedRevision of [NO_STREAM, 0n, 5n] as const) {
      const error = await rejection(append(stream, [], expectedRevision));
      expect(error).toMatchObject({ type: 'wrong-expected-version', actualVersion: 2n });
    }
  });
});

describe('append of no events on the wire', () => {
  it('returns no_stream for a new stream from Append', async () => {
    const { response } = await rawAppend({ stream: freshStream(), expected: 'no_stream' });
    expect(response?.getSuccess()?.hasNoStream()).toBe(true);
  });

  it('returns no_stream for a new stream from BatchAppend', async () => {
    const batch = openBatch();
    batch.send({ stream: freshStream(), expected: 'no_stream' });
    const response = await batch.response();
    expect(response.getSuccess()?.hasNoStream()).toBe(true);
  });
});
