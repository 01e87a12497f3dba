import { ANY, NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { collect, event, events, freshStream, rejection, sharedClient } from './support/store.ts';

const client = sharedClient();

const tombstoned = async () => {
  const stream = freshStream('tombstone');
  await client.appendToStream(stream, events(2), { expectedRevision: NO_STREAM });
  await client.tombstoneStream(stream, { expectedRevision: 1n });
  return stream;
};
const isDeleted = (stream: string) => ({ type: 'stream-deleted', streamName: stream });

describe('a tombstoned stream', () => {
  it('cannot be read in either direction', async () => {
    const stream = await tombstoned();
    expect(await rejection(collect(client.readStream(stream)))).toMatchObject({
      ...isDeleted(stream),
      code: 9,
    });
    const backwards = client.readStream(stream, { direction: 'backwards', fromRevision: 'end' });
    expect(await rejection(collect(backwards))).toMatchObject(isDeleted(stream));
  });

  it('cannot be restarted at any expected revision', async () => {
    const stream = await tombstoned();
    for (const expectedRevision of [ANY, NO_STREAM, 1n] as const) {
      const error = await rejection(client.appendToStream(stream, event(), { expectedRevision }));
      expect(error).toMatchObject(isDeleted(stream));
    }
  });

  it('can be neither deleted nor tombstoned again', async () => {
    const stream = await tombstoned();
    expect(await rejection(client.deleteStream(stream))).toMatchObject({
      ...isDeleted(stream),
      code: 9,
    });
    expect(await rejection(client.tombstoneStream(stream))).toMatchObject({
      ...isDeleted(stream),
      code: 9,
    });
  });

  it('has no metadata: the error names the metadata stream', async () => {
    const stream = await tombstoned();
    expect(await rejection(client.getStreamMetadata(stream))).toMatchObject(
      isDeleted(`$$${stream}`),
    );
    expect(await rejection(client.setStreamMetadata(stream, { maxCount: 1 }))).toMatchObject(
      isDeleted(`$$${stream}`),
    );
  });

  it('may have never existed, or have been soft-deleted', async () => {
    const never = freshStream();
    expect(
      (await client.tombstoneStream(never, { expectedRevision: ANY })).position?.commit,
    ).toBeGreaterThan(0n);
    expect(await rejection(collect(client.readStream(never)))).toMatchObject(isDeleted(never));
    const soft = freshStream();
    await client.appendToStream(soft, event());
    await client.deleteStream(soft);
    await client.tombstoneStream(soft);
    expect(await rejection(collect(client.readStream(soft)))).toMatchObject(isDeleted(soft));
  });
});
