import { ANY, NO_STREAM, StreamDeletedError, StreamNotFoundError } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import {
  appender,
  appendPaths,
  collect,
  event,
  freshStream,
  rejection,
  sharedClient,
} from './support/store.ts';

const client = sharedClient();

describe.each(appendPaths)('rejected appends ($path path)', ({ via }) => {
  const append = appender(client, via);

  it.each([ANY, NO_STREAM, 0n] as const)(
    'include every append to a tombstoned stream (%s)',
    async (expectedRevision) => {
      const stream = freshStream();
      await client.appendToStream(stream, event(), { expectedRevision: NO_STREAM });
      await client.tombstoneStream(stream);
      const error = await rejection(append(stream, event(), expectedRevision));
      expect(error).toBeInstanceOf(StreamDeletedError);
      expect(error).toMatchObject({ type: 'stream-deleted', streamName: stream });
    },
  );
});

describe('rejected appends without an error type in the client', () => {
  it('include an empty stream name, as a bad request', async () => {
    const error = await rejection(client.appendToStream('', event(), { expectedRevision: ANY }));
    expect(error).toMatchObject({ type: 'unknown', message: 'Could not recognize BadRequest' });
  });

  it('include an empty event type, as a bad request that writes nothing', async () => {
    const stream = freshStream();
    const error = await rejection(
      client.appendToStream(stream, event(0, ''), { expectedRevision: ANY }),
    );
    expect(error).toMatchObject({ type: 'unknown', message: 'Could not recognize BadRequest' });
    expect(await rejection(collect(client.readStream(stream)))).toBeInstanceOf(StreamNotFoundError);
  });
});

describe('deadline of the client', () => {
  it('is exceeded if it is in the past', async () => {
    const error = await rejection(
      client.appendToStream(freshStream(), event(), { deadline: -5000 }),
    );
    expect(error['type']).toBe('deadline-exceeded');
  });
});

describe('insecure mode', () => {
  it.each(['$$conformance', '$conformance'])(
    'permits writes to system streams: %s',
    async (prefix) => {
      const result = await client.appendToStream(freshStream(prefix), event(), {
        expectedRevision: NO_STREAM,
      });
      expect(result.nextExpectedRevision).toBe(0n);
    },
  );
});
