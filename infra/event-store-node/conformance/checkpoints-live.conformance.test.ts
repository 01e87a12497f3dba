import { streamNameFilter, type Position } from '@eventstore/db-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkpointPositions, steps } from './support/checkpoints.ts';
import { followSubscription } from './support/follow.ts';
import { openRead, type RawReadCall } from './support/raw-read.ts';
import { collect, connect, event, freshStream, sharedClient } from './support/store.ts';

// Checkpoints count every event of the store, and other test files write to it concurrently: these
// tests check the checkpoints between the first and the last event of a part of the log, which has
// events of others too.
const client = sharedClient();

/**
 * Subscribes from the end, appends `count` events of which every second one matches, returns what
 * was received after caught-up, and that part of the log.
 */
const runLive = async (filter: { window?: number; interval: number }, count: number) => {
  const prefix = freshStream('live');
  const subscription = openRead({
    from: 'end',
    filter: { on: 'stream', prefixes: [prefix], ...filter },
  });
  await subscription.until((kinds) => kinds.includes('caught-up'));
  const before = subscription.messages.length;
  const { position: first } = await client.appendToStream(freshStream('other'), event());
  for (let n = 1; n < count; n += 1) {
    await client.appendToStream(n % 2 === 1 ? prefix : freshStream('other'), event(n));
  }
  await subscription.until(
    (kinds) => kinds.filter((kind) => kind === 'event').length >= Math.floor(count / 2),
  );
  const all = (await collect(client.readAll({ fromPosition: first! }))).map(
    ({ event: recorded }) => recorded!.position.commit,
  );
  const live: RawReadCall = {
    ...subscription,
    get messages() {
      return subscription.messages.slice(before);
    },
    kinds: () => subscription.kinds().slice(before),
  };
  /** The checkpoints in that part of the log. */
  const within = () =>
    checkpointPositions(live).filter(({ commit }) => commit >= all[0]! && commit <= all.at(-1)!);
  return { live, all, within };
};

describe('live checkpoints', () => {
  it.each([
    ['window 1, interval 10', { window: 1, interval: 10 }, 10, 45],
    ['window 2, interval 5', { window: 2, interval: 5 }, 10, 45],
    ['window 5, interval 1', { window: 5, interval: 1 }, 5, 45],
    ['window 1, interval 1', { window: 1, interval: 1 }, 1, 40],
    ['no window, interval 1', { interval: 1 }, 32, 101],
  ] as const)(
    'are sent at every n-th event, matching or not: %s',
    async (_, filter, spacing, count) => {
      const { live, all, within } = await runLive(filter, count);
      await live.until(() => within().length >= Math.floor(count / spacing) - 1);
      const places = within().map(({ commit }) => all.indexOf(commit));
      expect(places[0]).toBeGreaterThanOrEqual(0);
      expect(places[0]).toBeLessThan(spacing);
      expect(places).toEqual(places.map((_place, n) => places[0]! + n * spacing));
      for (const { commit, prepare } of checkpointPositions(live)) expect(prepare).toBe(commit);
    },
  );

  it('follow the matching event at their position', async () => {
    const { live, within } = await runLive({ window: 1, interval: 1 }, 20);
    await live.until(() => within().length > 0);
    const order = steps(live);
    const matching = order.filter(({ kind }) => kind === 'event');
    expect(matching.length).toBeGreaterThanOrEqual(9);
    for (const { position } of matching) {
      const eventAt = order.findIndex(
        ({ kind, position: { commit } }) => kind === 'event' && commit === position.commit,
      );
      const checkpointAt = order.findIndex(
        ({ kind, position: { commit } }) => kind === 'checkpoint' && commit >= position.commit,
      );
      expect(checkpointAt === -1 || checkpointAt > eventAt).toBe(true);
    }
  });

  it('can be resumed from without missing an event', async () => {
    const { all, within } = await runLive({ window: 2, interval: 2 }, 30);
    const before = within().filter(({ commit }) => commit < all.at(-1)!);
    expect(before.length).toBeGreaterThan(4);
    // There are as many as other tests appended events, and each resumption reads all that follows.
    for (const checkpoint of before.slice(0, 5)) {
      const resumed = openRead({ from: checkpoint });
      await resumed.until(() => steps(resumed).length > 0);
      expect(steps(resumed)[0]?.position.commit).toBe(
        all.find((commit) => commit > checkpoint.commit),
      );
    }
  });
});

describe('checkpoints of the client', () => {
  it('reach the callback with their position', async () => {
    const own = connect();
    const prefix = freshStream('callback');
    const reached: Position[] = [];
    const filter = streamNameFilter({
      prefixes: [prefix],
      maxSearchWindow: 1,
      checkpointInterval: 1,
      checkpointReached: (_, position) => {
        reached.push(position);
      },
    });
    const subscription = own.subscribeToAll({ fromPosition: 'end', filter });
    onTestFinished(() => subscription.unsubscribe());
    const seen = followSubscription(subscription);
    await seen.until(({ caughtUps }) => caughtUps === 1);
    const { position } = await own.appendToStream(prefix, event());
    await seen.until(() => reached.some(({ commit }) => commit === position?.commit));
    expect(seen.events).toHaveLength(1);
  });
});
