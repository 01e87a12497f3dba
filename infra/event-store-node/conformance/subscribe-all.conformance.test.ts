import { END, NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { followSubscription, followAndResume, type Follower } from './support/follow.ts';
import { openRead } from './support/raw-read.ts';
import { connect, event, events, freshStream, sharedClient } from './support/store.ts';

const client = sharedClient();
const of = (seen: Follower, stream: string) =>
  seen.events.filter(({ streamId }) => streamId === stream);

describe('a subscription to $all', () => {
  it('is caught up immediately from the end, then gets only new events', async () => {
    const stream = freshStream();
    await client.appendToStream(stream, event());
    const seen = followSubscription(client.subscribeToAll({ fromPosition: END }));
    await seen.until(({ caughtUps }) => caughtUps === 1);
    expect(seen.confirmations).toBe(1);
    await client.appendToStream(stream, event());
    await seen.until((all) => of(all, stream).length === 1);
    expect(of(seen, stream)[0]?.revision).toBe(1n);
    expect(seen.caughtUps).toBe(1);
  });

  it('starts after a position, in ascending order', async () => {
    const stream = freshStream();
    const { position } = await client.appendToStream(stream, event());
    await client.appendToStream(stream, events(3));
    const seen = followAndResume((last) =>
      client.subscribeToAll({ fromPosition: last?.position ?? position! }),
    );
    await seen.until((all) => of(all, stream).length === 3);
    expect(of(seen, stream).map(({ revision }) => revision)).toEqual([1n, 2n, 3n]);
    expect(seen.events[0]?.position.commit).toBeGreaterThan(position!.commit);
    const positions = seen.events.map(({ position: { commit } }) => commit);
    expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => Number(a - b)));
  });

  it('resumes from a position within an append with the remaining events', async () => {
    const stream = freshStream();
    const before = await client.appendToStream(freshStream(), event());
    await client.appendToStream(stream, events(4));
    const seen = followAndResume((last) =>
      client.subscribeToAll({ fromPosition: last?.position ?? before.position! }),
    );
    await seen.until((all) => of(all, stream).length === 4);
    const within = of(seen, stream)[1]!.position;
    const resumed = followAndResume((last) =>
      client.subscribeToAll({ fromPosition: last?.position ?? within }),
    );
    await resumed.until((all) => of(all, stream).length === 2);
    expect(of(resumed, stream).map(({ revision }) => revision)).toEqual([2n, 3n]);
  });

  it('includes system events, but not $epoch-information', async () => {
    const stream = freshStream();
    const { position } = await client.appendToStream(stream, event());
    const seen = followAndResume((last) =>
      client.subscribeToAll({ fromPosition: last?.position ?? position! }),
    );
    await client.setStreamMetadata(stream, { maxCount: 9 });
    await client.tombstoneStream(stream);
    await seen.until((all) =>
      all.events.some(({ type, streamId }) => type === '$streamDeleted' && streamId === stream),
    );
    expect(of(seen, `$$${stream}`).map(({ type }) => type)).toEqual(['$metadata']);
    expect(seen.events.filter(({ type }) => type.startsWith('$epoch'))).toEqual([]);
    expect(seen.error).toBeUndefined();
  });

  it('has the same order for 10 subscribers on two connections', async () => {
    const { position } = await client.appendToStream(freshStream(), event());
    const other = connect();
    const followers = Array.from({ length: 10 }, (_, n) =>
      followAndResume((last) =>
        (n % 2 === 0 ? client : other).subscribeToAll({
          fromPosition: last?.position ?? position!,
        }),
      ),
    );
    const streams = Array.from({ length: 10 }, () => freshStream('many'));
    await Promise.all(
      streams.map((stream) =>
        client.appendToStream(stream, events(3), { expectedRevision: NO_STREAM }),
      ),
    );
    const mine = new Set(streams);
    const seenBy = (seen: Follower) =>
      seen.events.filter(({ streamId }) => mine.has(streamId)).map(({ id }) => id);
    await Promise.all(followers.map((seen) => seen.until((all) => seenBy(all).length === 30)));
    for (const seen of followers) expect(seenBy(seen)).toEqual(seenBy(followers[0]!));
  });
});

describe('an invalid start of a subscription to $all', () => {
  it('is an error at a position where no event begins', async () => {
    const seen = followSubscription(
      client.subscribeToAll({ fromPosition: { commit: 5n, prepare: 5n } }),
    );
    await seen.until(({ error }) => error !== undefined);
    expect(seen.error).toMatchObject({ type: 'unknown', code: 2 });
  });

  it('is confirmed and caught up at a position in the future', async () => {
    const far = 9_000_000_000_000_000n;
    const subscription = openRead({ from: { commit: far, prepare: far } });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    expect(subscription.kinds().slice(0, 2)).toEqual(['confirmation', 'caught-up']);
  });
});
