import { BACKWARDS, END, NO_STREAM, type AppendResult, type Position } from '@eventstore/db-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { rawRead } from './support/raw-read.ts';
import { collect, event, events, freshStream, rejection, sharedClient } from './support/store.ts';

const client = sharedClient();
const stream = freshStream('read-all');
const results: AppendResult[] = [];
const positionOf = (index: number): Position => results[index]!.position!;

const mine = async (options: Parameters<typeof client.readAll>[0]) =>
  (await collect(client.readAll(options))).flatMap(({ event: recorded }) =>
    recorded?.streamId === stream ? [Number(recorded.revision)] : [],
  );

const since = async (first: AppendResult) =>
  (await collect(client.readAll({ fromPosition: first.position! }))).flatMap(
    ({ event: recorded }) => (recorded ? [recorded] : []),
  );

beforeAll(async () => {
  for (let n = 0; n < 5; n += 1) results.push(await client.appendToStream(stream, event(n)));
});

describe('reading $all forwards', () => {
  it('returns every event from the start, in order', async () => {
    expect(await mine({})).toEqual([0, 1, 2, 3, 4]);
  });

  it('starts with the event at the given position', async () => {
    const [first] = await collect(client.readAll({ fromPosition: positionOf(2), maxCount: 1 }));
    expect(first?.event).toMatchObject({ streamId: stream, revision: 2n, position: positionOf(2) });
    expect(first?.commitPosition).toBe(positionOf(2).commit);
    expect(await mine({ fromPosition: positionOf(2) })).toEqual([2, 3, 4]);
  });

  it('stops at the count', async () => {
    expect(await collect(client.readAll({ maxCount: 3 }))).toHaveLength(3);
  });

  it('returns nothing from the end', async () => {
    expect(await collect(client.readAll({ fromPosition: END }))).toEqual([]);
  });

  it('returns nothing beyond the end', async () => {
    const far = { commit: 9_000_000_000_000_000n, prepare: 9_000_000_000_000_000n };
    expect(await collect(client.readAll({ fromPosition: far }))).toEqual([]);
  });
});

describe('reading $all backwards', () => {
  it('starts with the newest event from the end', async () => {
    const newest = await client.appendToStream(freshStream(), event());
    const read = await collect(
      client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 50 }),
    );
    const positions = read.map(({ event: recorded }) => recorded?.position.commit ?? 0n);
    // Other tests append at the same time.
    expect(positions[0]).toBeGreaterThanOrEqual(newest.position?.commit ?? 0n);
    expect(positions).toEqual(positions.toSorted((a, b) => Number(b - a)));
  });

  it('is the reverse of reading forwards', async () => {
    const upTo = (await client.appendToStream(freshStream(), event())).position!;
    const forwards = (await collect(client.readAll({ fromPosition: positionOf(0) }))).flatMap(
      ({ event: recorded }) =>
        recorded && recorded.position.commit < upTo.commit ? [recorded.id] : [],
    );
    const backwards = await collect(
      client.readAll({ direction: BACKWARDS, fromPosition: upTo, maxCount: forwards.length }),
    );
    expect(backwards.map(({ event: recorded }) => recorded?.id)).toEqual(forwards.toReversed());
  });

  // A position is the start of its event, from which the reader goes back.
  it('starts with the event before the given position', async () => {
    expect(await mine({ direction: BACKWARDS, fromPosition: positionOf(3) })).toEqual([2, 1, 0]);
  });
});

describe('an invalid read of $all', () => {
  it('fails at a position where no event begins', async () => {
    const { commit } = positionOf(2);
    const fromPosition = { commit: commit + 1n, prepare: commit + 1n };
    const error = await rejection(collect(client.readAll({ fromPosition })));
    expect(error).toMatchObject({ type: 'unknown', code: 2 });
    expect(error.message).toContain('Unexpected ReadAllResult: Error');
  });

  it('fails with a prepare position after the commit position', async () => {
    const { commit } = positionOf(2);
    const error = await rejection(
      collect(client.readAll({ fromPosition: { commit, prepare: commit + 1n } })),
    );
    expect(error).toMatchObject({ type: 'unknown', code: 2 });
  });

  it('fails without a filter option', async () => {
    const { ending } = await rawRead({ count: 10, filter: 'unset' });
    expect(ending.code).toBe(3);
  });
});

describe('special events in $all', () => {
  it('include stream metadata', async () => {
    const subject = freshStream();
    const first = await client.appendToStream(subject, event());
    await client.setStreamMetadata(subject, { maxCount: 10 });
    const metadata = (await since(first)).find(({ streamId }) => streamId === `$$${subject}`);
    expect(metadata).toMatchObject({ type: '$metadata', data: { $maxCount: 10 } });
  });

  it('include tombstones, at the highest revision and without data', async () => {
    const subject = freshStream();
    const first = await client.appendToStream(subject, event());
    const deleted = await client.tombstoneStream(subject);
    const tombstone = (await since(first)).find(
      ({ type, streamId }) => type === '$streamDeleted' && streamId === subject,
    );
    expect(tombstone).toMatchObject({
      revision: 9_223_372_036_854_775_807n,
      isJson: false,
      position: deleted.position,
    });
    expect(tombstone?.data).toHaveLength(0);
  });

  it('exclude $epoch-information, which can be read by name', async () => {
    // The first events of a store have the epoch of its first start among them.
    const oldest = await collect(client.readAll({ maxCount: 500 }));
    expect(oldest.length).toBeGreaterThan(0);
    expect(oldest.filter(({ event: recorded }) => recorded?.type.startsWith('$epoch'))).toEqual([]);
    const { messages } = await rawRead({
      count: 10,
      filter: { on: 'type', prefixes: ['$epoch'], window: 1000 },
    });
    expect(messages.filter((message) => message.hasEvent())).toEqual([]);
    const epochs = await collect(client.readStream('$epoch-information'));
    expect(epochs.length).toBeGreaterThan(0);
  });

  it('include truncated and soft-deleted events', async () => {
    const subject = freshStream();
    const before = await client.appendToStream(freshStream(), event());
    await client.appendToStream(subject, events(4), { expectedRevision: NO_STREAM });
    await client.setStreamMetadata(subject, { maxCount: 1 });
    await client.deleteStream(subject);
    const all = await collect(client.readAll({ fromPosition: before.position! }));
    expect(all.filter(({ event: recorded }) => recorded?.streamId === subject)).toHaveLength(4);
  });
});
