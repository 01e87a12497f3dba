import type { Position } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { checkpointPositions, steps } from './support/checkpoints.ts';
import { openRead, type RawRead } from './support/raw-read.ts';
import { collect, event, events, freshStream, sharedClient } from './support/store.ts';

// Checkpoints count every event of the store, and other test files write to it concurrently: these
// tests count what is in the log, not only what they have written.
const client = sharedClient();

/** 144 events, of which 36 match the prefix, and the position just before them. */
const history = async (prefix: string): Promise<Position> => {
  const { position } = await client.appendToStream(freshStream('other'), event());
  for (let n = 0; n < 12; n += 1) {
    await client.appendToStream(`${prefix}-${n}`, events(3));
    await client.appendToStream(freshStream('other'), events(9));
  }
  return position!;
};

describe('catch-up checkpoints', () => {
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
    const subscription = openRead({ from, filter });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    const order = steps(subscription);
    const matching = order
      .filter(({ kind }) => kind === 'event')
      .map(({ position }) => position.commit);
    expect(matching).toHaveLength(36);
    const checkpoints = checkpointPositions(subscription).map(({ commit }) => commit);
    expect(checkpoints.length).toBeGreaterThan(0);
    const last = checkpoints.at(-1)!;
    const searched = (await collect(client.readAll({ fromPosition: from }))).filter(
      ({ event: recorded }) => recorded!.position.commit <= last,
    );
    // One a search window at most; a newer server adds one at the end of the catch-up.
    expect(checkpoints.length).toBeLessThanOrEqual(
      Math.ceil(searched.length / (window.window ?? 32)) + 1,
    );
    expect(checkpoints).toEqual(checkpoints.toSorted((a, b) => Number(a - b)));
    for (const [index, { kind, position }] of order.entries()) {
      if (kind !== 'checkpoint') continue;
      const delivered = order.slice(0, index).filter((step) => step.kind === 'event');
      expect(delivered).toHaveLength(matching.filter((commit) => commit <= position.commit).length);
    }
  });

  it('are sent even if nothing matches', async () => {
    await history(freshStream('history'));
    const filter = {
      on: 'stream' as const,
      prefixes: [freshStream('nothing')],
      interval: 1,
    } satisfies RawRead['filter'];
    const subscription = openRead({ filter });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    expect(checkpointPositions(subscription).length).toBeGreaterThan(0);
  });

  it('can be resumed from without missing an event', async () => {
    const prefix = freshStream('resumed');
    const from = await history(prefix);
    const filter = {
      on: 'stream' as const,
      prefixes: [prefix],
      interval: 1,
      window: 7,
    } satisfies RawRead['filter'];
    const subscription = openRead({ from, filter });
    await subscription.until((kinds) => kinds.includes('caught-up'));
    const order = steps(subscription);
    const whole = order
      .filter(({ kind }) => kind === 'event')
      .map(({ position }) => position.commit);
    expect(whole).toHaveLength(36);
    expect(checkpointPositions(subscription).length).toBeGreaterThan(3);
    for (const [index, { kind, position }] of order.entries()) {
      if (kind !== 'checkpoint') continue;
      const before = order
        .slice(0, index)
        .flatMap((step) => (step.kind === 'event' ? [step.position.commit] : []));
      const resumed = openRead({ from: position, filter });
      await resumed.until((kinds) => kinds.includes('caught-up'));
      const after = steps(resumed).flatMap((step) =>
        step.kind === 'event' ? [step.position.commit] : [],
      );
      expect([...new Set([...before, ...after])]).toEqual(whole);
    }
  });
});
