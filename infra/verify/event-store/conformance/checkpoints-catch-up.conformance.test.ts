import { EventStoreDBClient, type Position } from '@eventstore/db-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkpointsOf, steps } from './support/checkpoints.ts';
import { quietStoreUrl } from './support/quiet-store.ts';
import { openRead, type RawRead } from './support/raw-read.ts';
import { event, events, freshStream } from './support/store.ts';

// Checkpoints count every event of the store, so these tests want a store that nobody else writes
// to.
const url = quietStoreUrl();
let client: EventStoreDBClient;
beforeAll(() => {
  client = EventStoreDBClient.connectionString(url());
  return () => client.dispose();
});

/** 144 events, of which 36 match the prefix, and the position just before them. */
const history = async (prefix: string): Promise<Position> => {
  const { position } = await client.appendToStream(freshStream('other'), event());
  for (let n = 0; n < 12; n += 1) {
    await client.appendToStream(`${prefix}-${n}`, events(3));
    await client.appendToStream(freshStream('other'), events(9));
  }
  return position!;
};

describe('checkpoints of the catch-up', () => {
  it.each<[string, { window?: number }]>([
    ['default window', {}],
    ['window 10', { window: 10 }],
    ['window 1', { window: 1 }],
  ])('never run ahead of the matching events, and ascend (%s)', async (_, window) => {
    const prefix = freshStream('history');
    const from = await history(prefix);
    const filter = {
      on: 'stream' as const,
      prefixes: [prefix],
      interval: 1,
      ...window,
    } satisfies RawRead['filter'];
    const subscription = openRead({ from, filter }, { url: url() });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    const order = steps(subscription);
    const matching = order
      .filter(({ kind }) => kind === 'event')
      .map(({ position }) => position.commit);
    expect(matching).toHaveLength(36);
    const checkpoints = checkpointsOf(subscription).map(({ commit }) => commit);
    expect(checkpoints.length).toBeGreaterThan(0);
    // One a search window at most; a newer server adds one at the end of the catch-up.
    expect(checkpoints.length).toBeLessThanOrEqual(Math.ceil(144 / (window.window ?? 32)) + 1);
    expect(checkpoints).toEqual(checkpoints.toSorted((a, b) => Number(a - b)));
    for (const [index, { kind, position }] of order.entries()) {
      if (kind !== 'checkpoint') continue;
      const delivered = order.slice(0, index).filter((step) => step.kind === 'event');
      expect(delivered).toHaveLength(matching.filter((commit) => commit <= position.commit).length);
    }
  });

  it('come also when nothing matches', async () => {
    await history(freshStream('history'));
    const filter = {
      on: 'stream' as const,
      prefixes: [freshStream('nothing')],
      interval: 1,
    } satisfies RawRead['filter'];
    const subscription = openRead({ filter }, { url: url() });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    expect(checkpointsOf(subscription).length).toBeGreaterThan(0);
  });

  it('resuming from any of them misses nothing', async () => {
    const prefix = freshStream('resumed');
    const from = await history(prefix);
    const filter = {
      on: 'stream' as const,
      prefixes: [prefix],
      interval: 1,
      window: 7,
    } satisfies RawRead['filter'];
    const subscription = openRead({ from, filter }, { url: url() });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    const order = steps(subscription);
    const whole = order
      .filter(({ kind }) => kind === 'event')
      .map(({ position }) => position.commit);
    expect(whole).toHaveLength(36);
    expect(checkpointsOf(subscription).length).toBeGreaterThan(3);
    for (const [index, { kind, position }] of order.entries()) {
      if (kind !== 'checkpoint') continue;
      const before = order
        .slice(0, index)
        .flatMap((step) => (step.kind === 'event' ? [step.position.commit] : []));
      const resumed = openRead({ from: position, filter }, { url: url() });
      await resumed.until((kinds) => kinds.includes('caught-up'));
      const after = steps(resumed).flatMap((step) =>
        step.kind === 'event' ? [step.position.commit] : [],
      );
      expect([...new Set([...before, ...after])]).toEqual(whole);
    }
  });
});
