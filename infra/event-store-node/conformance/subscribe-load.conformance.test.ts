import { ANY, jsonEvent, NO_STREAM, streamNameFilter, type Position } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { follow, type Follower } from './support/follow.ts';
import { openRead, recordedOf } from './support/raw-read.ts';
import { connect, event, events, freshStream, sharedClient } from './support/store.ts';

const client = sharedClient();

/** Every stream's revisions as they came must be 0, 1, 2, …: no gap, no duplicate, no swap. */
const expectContiguous = (
  seen: { streamId: string; revision: bigint }[],
  streams: string[],
  each: number,
) => {
  for (const stream of streams) {
    const revisions = seen
      .filter(({ streamId }) => streamId === stream)
      .map(({ revision }) => Number(revision));
    expect(revisions).toEqual(Array.from({ length: each }, (_, n) => n));
  }
};

const ascends = (seen: Follower) =>
  seen.events.every(({ position }, n) => n === 0 || position.commit > seen.events[n - 1]!.position.commit);

const backlog = async (streams: string[], each: number): Promise<Position> => {
  const before = await client.appendToStream(freshStream(), event());
  await Promise.all(
    streams.map((stream) => client.appendToStream(stream, events(each), { expectedRevision: NO_STREAM })),
  );
  return before.position!;
};

describe('a large backlog, then live, while appends go on', () => {
  it('$all, filtered $all and one stream: no gap, no duplicate', async () => {
    const prefix = freshStream('load');
    const streams = Array.from({ length: 10 }, (_, n) => `${prefix}-${n}`);
    const from = await backlog(streams, 300);
    const reader = connect();
    const filter = streamNameFilter({ prefixes: [prefix] });
    const all = follow(reader.subscribeToAll({ fromPosition: from }));
    const filtered = follow(reader.subscribeToAll({ fromPosition: from, filter }));
    const one = follow(reader.subscribeToStream(streams[0]!));
    await Promise.all(
      streams.map(async (stream) => {
        for (let n = 0; n < 40; n += 1)
          await client.appendToStream(stream, events(2), { expectedRevision: ANY });
      }),
    );
    const late = follow(reader.subscribeToAll({ fromPosition: from, filter }));
    const total = streams.length * 380;
    const mine = (seen: Follower) => seen.events.filter(({ streamId }) => streamId.startsWith(prefix));
    await all.until((seen) => mine(seen).length >= total, 20_000);
    await filtered.until((seen) => seen.events.length >= total, 20_000);
    await late.until((seen) => seen.events.length >= total, 20_000);
    await one.until((seen) => seen.events.length >= 380);
    for (const seen of [all, filtered, late]) {
      expectContiguous(seen.events, streams, 380);
      expect(ascends(seen)).toBe(true);
    }
    expectContiguous(one.events, streams.slice(0, 1), 380);
    expect(mine(all).map(({ id }) => id)).toEqual(filtered.ids());
  });
});

describe('a slow consumer', () => {
  // 23.10 ends it (ABORTED, "Consumer too slow …"); a newer server lets it fall behind and catch up again. Either
  // way it never misses an event silently, and nobody waits for it.
  it('is ended or served to the last event, and holds up nobody', async () => {
    const stream = freshStream('slow');
    await client.appendToStream(stream, event());
    const slow = openRead({ stream });
    const quick = openRead({ stream });
    await slow.until((kinds) => kinds.includes('caught-up'));
    await quick.until((kinds) => kinds.includes('caught-up'));
    slow.pause();
    const payload = 'x'.repeat(2000);
    const count = 1500;
    for (let n = 0; n < count; n += 50) {
      const batch = Array.from({ length: 50 }, (_, m) =>
        jsonEvent({ type: 'tested', data: { n: n + m, payload } }),
      );
      await client.appendToStream(stream, batch, { expectedRevision: BigInt(n) });
    }
    const eventsOf = (subscription: typeof slow) =>
      subscription.messages.filter((message) => message.hasEvent());
    const isWhole = (subscription: typeof slow) => eventsOf(subscription).length === count + 1;
    await quick.until(() => isWhole(quick), 10_000);
    let ended: { code: number; details: string } | undefined;
    void slow.ending.then((ending) => (ended = ending));
    slow.resume();
    await slow.until(() => isWhole(slow) || ended !== undefined, 10_000);
    const revisions = eventsOf(slow).map((message) => Number(recordedOf(message).getStreamRevision()));
    expect(revisions).toEqual(revisions.map((_, n) => n));
    const outcome = isWhole(slow) ? 'served whole' : `${ended?.code} ${ended?.details}`;
    expect(outcome).toMatch(/^served whole$|^10 .*Consumer too slow/);
  });
});
