import { END, START } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { followSubscription, followAndResume } from './support/follow.ts';
import { messageKind, openRead, readRecordedEvent } from './support/raw-read.ts';
import {
  connect,
  event,
  events,
  freshStream,
  sharedClient,
  writtenStream,
} from './support/store.ts';

const client = sharedClient();
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const revisions = (messages: ReturnType<typeof openRead>['messages']) =>
  messages
    .filter((message) => message.hasEvent())
    .map((message) => Number(readRecordedEvent(message).getStreamRevision()));

describe('a subscription to a stream', () => {
  it('is confirmed, then sends history, caught-up once, and live events', async () => {
    const stream = await writtenStream(client, 3);
    const subscription = openRead({ stream });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    await client.appendToStream(stream, events(2));
    await subscription.until((kinds) => kinds.length >= 7);
    expect(subscription.kinds()).toEqual([
      'confirmation',
      'event',
      'event',
      'event',
      'caught-up',
      'event',
      'event',
    ]);
    expect(revisions(subscription.messages)).toEqual([0, 1, 2, 3, 4]);
    expect(subscription.messages[0]?.getConfirmation()?.getSubscriptionId()).toMatch(guid);
  });

  it('reports confirmation, caughtUp and its id to the client', async () => {
    const stream = await writtenStream(client, 2);
    const subscription = client.subscribeToStream(stream, { fromRevision: START });
    const seen = followSubscription(subscription);
    await seen.until(({ caughtUps, events: all }) => caughtUps === 1 && all.length === 2);
    expect(seen.confirmations).toBe(1);
    expect(subscription.id).toMatch(guid);
    await client.appendToStream(stream, event());
    await seen.until(({ events: all }) => all.length === 3);
    expect(seen.caughtUps).toBe(1);
  });

  it('is caught up immediately from the end, then gets only new events', async () => {
    const stream = await writtenStream(client, 3);
    const subscription = openRead({ stream, from: 'end' });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    expect(subscription.kinds()).toEqual(['confirmation', 'caught-up']);
    await client.appendToStream(stream, event());
    await subscription.until((kinds) => kinds.includes('event'));
    expect(revisions(subscription.messages)).toEqual([3]);
  });

  it('starts after the given revision', async () => {
    const stream = await writtenStream(client, 5);
    const subscription = openRead({ stream, from: 2n });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    expect(revisions(subscription.messages)).toEqual([3, 4]);
  });

  it.each([
    ['the head', 4n],
    ['past the head', 100n],
  ])('is caught up immediately from %s', async (_, from) => {
    const stream = await writtenStream(client, 5);
    const subscription = openRead({ stream, from });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    expect(subscription.kinds()).toEqual(['confirmation', 'caught-up']);
  });

  it('is confirmed for a missing stream, then gets its first event and caught-up', async () => {
    const stream = freshStream();
    const subscription = openRead({ stream });
    await subscription.until((kinds) => kinds.includes('confirmation'));
    await client.appendToStream(freshStream(), event());
    await client.appendToStream(stream, event());
    await subscription.until((kinds) => kinds.includes('event') && kinds.includes('caught-up'));
    // 23.10 sends caught-up after the first event, KurrentDB immediately: both are correct then.
    expect(subscription.kinds().toSorted()).toEqual(['caught-up', 'confirmation', 'event']);
    await client.appendToStream(stream, event());
    await subscription.until((kinds) => kinds.filter((kind) => kind === 'event').length === 2);
    expect(revisions(subscription.messages)).toEqual([0, 1]);
  });

  it('gets the first event of a missing stream from the end, too', async () => {
    const stream = freshStream();
    const seen = followSubscription(client.subscribeToStream(stream, { fromRevision: END }));
    await seen.until(({ confirmations }) => confirmations === 1);
    await client.appendToStream(stream, event());
    await seen.until(({ events: all }) => all.length === 1);
    expect(seen.events[0]?.revision).toBe(0n);
  });

  it('ends when the client unsubscribes', async () => {
    const stream = await writtenStream(client, 1);
    const subscription = client.subscribeToStream(stream);
    const seen = followSubscription(subscription);
    await seen.until(({ events: all }) => all.length === 1);
    await subscription.unsubscribe();
    await seen.until(({ isEnded }) => isEnded);
    await client.appendToStream(stream, event());
    expect(seen.events).toHaveLength(1);
  });

  it('sends the same to 20 subscribers on two connections', async () => {
    const stream = await writtenStream(client, 10);
    const other = connect();
    const followers = Array.from({ length: 20 }, (_, n) =>
      followAndResume((last) =>
        (n % 2 === 0 ? client : other).subscribeToStream(
          stream,
          last && { fromRevision: last.revision },
        ),
      ),
    );
    for (let n = 0; n < 10; n += 1) await client.appendToStream(stream, events(2));
    await Promise.all(followers.map((seen) => seen.until(({ events: all }) => all.length === 30)));
    const expected = Array.from({ length: 30 }, (_, n) => BigInt(n));
    for (const seen of followers)
      expect(seen.events.map(({ revision }) => revision)).toEqual(expected);
  });

  it('sends all events of each append in order', async () => {
    const stream = freshStream();
    const seen = followAndResume((last) =>
      client.subscribeToStream(stream, last && { fromRevision: last.revision }),
    );
    const batches = Array.from({ length: 20 }, () => events(5));
    await Promise.all(batches.map((batch) => client.appendToStream(stream, batch)));
    await seen.until(({ events: all }) => all.length === 100);
    const byBatch = Array.from({ length: 20 }, (_, n) =>
      seen
        .ids()
        .slice(5 * n, 5 * n + 5)
        .join(),
    );
    expect(byBatch.toSorted()).toEqual(
      batches.map((batch) => batch.map(({ id }) => id).join()).toSorted(),
    );
  });
});

describe('a subscription to a deleted stream', () => {
  it('gets the tombstone, then ends as deleted', async () => {
    const stream = await writtenStream(client, 1);
    const subscription = openRead({ stream });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    await client.tombstoneStream(stream);
    const ending = await subscription.ending;
    expect(ending).toMatchObject({
      code: 9,
      trailers: { exception: 'stream-deleted', 'stream-name': stream },
    });
    const last = subscription.messages.at(-1)!;
    expect(messageKind(last)).toBe('event');
    expect(readRecordedEvent(last).getMetadataMap().get('type')).toBe('$streamDeleted');
    expect(readRecordedEvent(last).getStreamRevision()).toBe('9223372036854775807');
  });

  it('ends with a StreamDeletedError in the client', async () => {
    const stream = await writtenStream(client, 1);
    const seen = followSubscription(client.subscribeToStream(stream));
    await seen.until(({ caughtUps }) => caughtUps === 1);
    await client.tombstoneStream(stream);
    await seen.until(({ error }) => error !== undefined);
    expect(seen.error).toMatchObject({ type: 'stream-deleted', code: 9, streamName: stream });
  });

  it('is rejected if the stream is tombstoned', async () => {
    const stream = freshStream();
    await client.tombstoneStream(stream);
    const { ending } = openRead({ stream });
    expect(await ending).toMatchObject({
      code: 9,
      trailers: { exception: 'stream-deleted', 'stream-name': stream },
    });
  });

  it('gets the events after the restart of a soft-deleted stream', async () => {
    const stream = await writtenStream(client, 3);
    await client.deleteStream(stream);
    const seen = followSubscription(client.subscribeToStream(stream));
    await seen.until(({ confirmations }) => confirmations === 1);
    await client.appendToStream(stream, event());
    await seen.until(({ events: all }) => all.length === 1);
    expect(seen.events[0]?.revision).toBe(3n);
  });
});

describe('a backwards subscription', () => {
  it('is rejected', async () => {
    const { ending } = openRead({ stream: await writtenStream(client, 1), direction: 'backwards' });
    expect(await ending).toMatchObject({
      code: 3,
      details: 'The combination of (Stream, Subscription, Backwards, NoFilter) is invalid.',
    });
  });
});
