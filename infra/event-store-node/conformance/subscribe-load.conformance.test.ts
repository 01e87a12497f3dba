import { ANY, jsonEvent, NO_STREAM, streamNameFilter, type Position } from '@eventstore/db-client';
import { describe, expect, it, vi } from 'vitest';
import { followSubscription, followAndResume, type Follower } from './support/follow.ts';
import { startOwnStore } from './support/own-store.ts';
import { openRead, readRecordedEvent, type RawReadCall } from './support/raw-read.ts';
import type { CallEnd } from './support/raw-target.ts';
import { connect, event, events, freshStream, isExternal, sharedClient } from './support/store.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

const client = sharedClient();

/** The received revisions of every stream must be 0, 1, 2, …: no gap, no duplicate, no swap. */
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
  seen.events.every(
    ({ position }, n) => n === 0 || position.commit > seen.events[n - 1]!.position.commit,
  );

const backlog = async (streams: string[], each: number): Promise<Position> => {
  const before = await client.appendToStream(freshStream(), event());
  await Promise.all(
    streams.map((stream) =>
      client.appendToStream(stream, events(each), { expectedRevision: NO_STREAM }),
    ),
  );
  return before.position!;
};

describe('subscriptions with a large backlog during appends', () => {
  it('have no gaps or duplicates on $all, filtered $all and one stream', async () => {
    const prefix = freshStream('load');
    const streams = Array.from({ length: 10 }, (_, n) => `${prefix}-${n}`);
    const from = await backlog(streams, 300);
    const reader = connect();
    const filter = streamNameFilter({ prefixes: [prefix] });
    const all = followAndResume((last) =>
      reader.subscribeToAll({ fromPosition: last?.position ?? from }),
    );
    const followFiltered = () =>
      followAndResume((last) =>
        reader.subscribeToAll({ fromPosition: last?.position ?? from, filter }),
      );
    const filtered = followFiltered();
    const one = followAndResume((last) =>
      reader.subscribeToStream(streams[0]!, last && { fromRevision: last.revision }),
    );
    await Promise.all(
      streams.map(async (stream) => {
        for (let n = 0; n < 40; n += 1)
          await client.appendToStream(stream, events(2), { expectedRevision: ANY });
      }),
    );
    const late = followFiltered();
    const total = streams.length * 380;
    const mine = (seen: Follower) =>
      seen.events.filter(({ streamId }) => streamId.startsWith(prefix));
    await all.until((seen) => mine(seen).length >= total);
    await filtered.until((seen) => seen.events.length >= total);
    await late.until((seen) => seen.events.length >= total);
    await one.until((seen) => seen.events.length >= 380);
    for (const seen of [all, filtered, late]) {
      expectContiguous(seen.events, streams, 380);
      expect(ascends(seen)).toBe(true);
    }
    expectContiguous(one.events, streams.slice(0, 1), 380);
    expect(mine(all).map(({ id }) => id)).toEqual(filtered.ids());
  });
});

const revisionsOf = ({ messages }: RawReadCall): number[] =>
  messages
    .filter((message) => message.hasEvent())
    .map((message) => Number(readRecordedEvent(message).getStreamRevision()));

const tooSlow = {
  code: 10,
  details: expect.stringContaining('Consumer too slow to handle event while') as string,
};

/**
 * Follows as a client of 23.10 must: resumes a subscription that was dropped as too slow.
 */
const quickReader = (stream: string) => {
  const before: number[] = [];
  let open = openRead({ stream });
  const resubscribe = async (): Promise<void> => {
    for (;;) {
      const ending = await open.ending;
      // Cancelled: the test is over.
      if (ending.code === 1) return;
      expect(ending).toMatchObject(tooSlow);
      before.push(...revisionsOf(open));
      const last = before.at(-1);
      open = openRead({ stream, from: last === undefined ? 'start' : BigInt(last) });
    }
  };
  const following = resubscribe();
  const revisions = (): number[] => [...before, ...revisionsOf(open)];
  const until = (count: number): Promise<void> =>
    vi.waitFor(() => expect(revisions()).toHaveLength(count), {
      timeout: waitLimitMs,
      interval: 5,
    });
  return { revisions, until: (count: number) => Promise.race([until(count), following]) };
};

describe('a slow consumer', () => {
  // 23.10 ends it (ABORTED, "Consumer too slow …"), and a quick one too that 32 events wait for; a
  // newer server lets it fall behind and catch up again. Either way it never misses an event
  // silently, and no other subscriber waits for it.
  it('is dropped or served to the last event, and delays no other', async () => {
    const stream = freshStream('slow');
    await client.appendToStream(stream, event());
    const slow = openRead({ stream });
    await slow.until((kinds) => kinds.includes('caught-up'));
    const quick = quickReader(stream);
    await quick.until(1);
    slow.pause();
    const payload = 'x'.repeat(2000);
    const count = 1500;
    for (let n = 0; n < count; n += 50) {
      const batch = Array.from({ length: 50 }, (_, m) =>
        jsonEvent({ type: 'tested', data: { n: n + m, payload } }),
      );
      await client.appendToStream(stream, batch, { expectedRevision: BigInt(n) });
    }
    await quick.until(count + 1);
    let ended: CallEnd | undefined;
    void slow.ending.then((ending) => (ended = ending));
    slow.resume();
    const isWhole = () => revisionsOf(slow).length === count + 1;
    await slow.until(() => isWhole() || ended !== undefined);
    for (const revisions of [revisionsOf(slow), quick.revisions()])
      expect(revisions).toEqual(revisions.map((_, n) => n));
    expect(isWhole() ? 'served whole' : `${ended?.code} ${ended?.details}`).toMatch(
      /^served whole$|^10 .*Consumer too slow/,
    );
  });
});

describe.skipIf(isExternal)('a node configured to drop subscribers as 23.10 does', () => {
  it('drops one with more than 32 waiting events, which can resume without a gap', async () => {
    const { url } = await startOwnStore({ maxEventsBehind: 32 });
    const writer = connect(url);
    const stream = freshStream('behind');
    await writer.appendToStream(stream, event());
    const first = openRead({ stream }, { url });
    await first.until((kinds) => kinds.includes('caught-up'));
    await writer.appendToStream(stream, events(32), { expectedRevision: 0n });
    await first.until(() => revisionsOf(first).length === 33);
    await writer.appendToStream(stream, events(50), { expectedRevision: 32n });
    expect(await first.ending).toMatchObject(tooSlow);
    expect(revisionsOf(first)).toEqual(Array.from({ length: 65 }, (_, n) => n));
    const again = openRead({ stream, from: 64n }, { url });
    await again.until(() => revisionsOf(again).length === 18);
    expect(revisionsOf(again).at(-1)).toBe(82);
  });

  it('drops a subscriber to $all too', async () => {
    const { url } = await startOwnStore({ maxEventsBehind: 32 });
    const writer = connect(url);
    const seen = followSubscription(connect(url).subscribeToAll({ fromPosition: 'end' }));
    await seen.until(({ caughtUps }) => caughtUps === 1);
    await writer.appendToStream(freshStream(), events(50));
    await seen.until(({ error }) => error !== undefined);
    expect(seen.error).toMatchObject({ code: 10 });
    expect(seen.events).toHaveLength(32);
  });
});
