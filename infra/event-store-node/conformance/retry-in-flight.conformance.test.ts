import { ANY, NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import {
  appender,
  appendPaths,
  collect,
  event,
  events,
  freshStream,
  sharedClient,
} from './support/store.ts';

const client = sharedClient();

// 23.10 drops a retry while the original is in flight, and it times out after 2 s. Waiting for the
// original and returning its result is better: clients only notice a shorter wait.
const timeouts = ['deadline-exceeded', 'timeout'];

describe.each(appendPaths)('retries while the original is in flight ($path path)', ({ via }) => {
  const append = appender(client, via);

  it.each([
    ['ANY', ANY],
    ['NO_STREAM', NO_STREAM],
  ] as const)(
    'return the original result or a timeout with %s, and store one set',
    async (_, expectedRevision) => {
      const rounds = Array.from({ length: 5 }, () => ({ stream: freshStream(), batch: events(2) }));
      const outcomes = await Promise.all(
        rounds.map(({ stream, batch }) =>
          Promise.allSettled(
            Array.from({ length: 10 }, () => append(stream, batch, expectedRevision)),
          ),
        ),
      );
      for (const [round, settled] of outcomes.entries()) {
        const results = settled.flatMap((outcome) =>
          outcome.status === 'fulfilled' ? [outcome.value] : [],
        );
        const failures = settled.flatMap((outcome) =>
          outcome.status === 'rejected' ? [(outcome.reason as { type?: string }).type] : [],
        );
        expect(timeouts).toEqual(expect.arrayContaining([...new Set(failures)]));
        expect(results.length).toBeGreaterThan(0);
        expect(
          results.every((result) => result.position?.commit === results[0]?.position?.commit),
        ).toBe(true);
        expect(results[0]?.nextExpectedRevision).toBe(1n);
        const { stream, batch } = rounds[round]!;
        const stored = await collect(client.readStream(stream));
        expect(stored.map((read) => read.event?.id)).toEqual(batch.map(({ id }) => id));
      }
    },
  );

  it('find the original after the timeouts', async () => {
    const stream = freshStream();
    const once = event();
    const retry = () => append(stream, once);
    await Promise.allSettled([retry(), retry(), retry()]);
    expect((await retry()).nextExpectedRevision).toBe(0n);
    expect(await collect(client.readStream(stream))).toHaveLength(1);
  });
});
