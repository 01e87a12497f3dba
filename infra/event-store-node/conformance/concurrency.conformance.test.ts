import {
  ANY,
  NO_STREAM,
  type AppendResult,
  type WrongExpectedVersionError,
} from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import {
  appender,
  appendPaths,
  collect,
  connect,
  event,
  events,
  freshStream,
  sharedClient,
} from './support/store.ts';

const client = sharedClient();
const isAscending = (values: bigint[]): boolean =>
  values.every((value, index) => index === 0 || value > values[index - 1]!);

describe.each(appendPaths)('simultaneous appends ($path path)', ({ via }) => {
  const append = appender(client, via);

  it.each([
    ['NO_STREAM', NO_STREAM, 0n],
    ['an exact revision', 2n, 3n],
  ] as const)(
    'let one of 20 at %s win, and report its revision to the others',
    async (_, expectedRevision, winner) => {
      const stream = freshStream();
      if (expectedRevision === 2n)
        await client.appendToStream(stream, events(3), { expectedRevision: NO_STREAM });
      const settled = await Promise.allSettled(
        Array.from({ length: 20 }, (__, n) => append(stream, event(n), expectedRevision)),
      );
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const losers = settled.flatMap((outcome) =>
        outcome.status === 'rejected' ? [outcome.reason as WrongExpectedVersionError] : [],
      );
      expect(losers.map(({ type, actualVersion }) => ({ type, actualVersion }))).toEqual(
        Array.from({ length: 19 }, () => ({
          type: 'wrong-expected-version',
          actualVersion: winner,
        })),
      );
      expect(await collect(client.readStream(stream))).toHaveLength(Number(winner) + 1);
    },
  );

  it('get each revision once from 64 appenders to one stream, in order of positions', async () => {
    const stream = freshStream();
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, n) => append(stream, event(n), ANY)),
    );
    const sorted = results.toSorted((a, b) =>
      Number(a.nextExpectedRevision - b.nextExpectedRevision),
    );
    expect(sorted.map((result) => result.nextExpectedRevision)).toEqual(
      sorted.map((_, n) => BigInt(n)),
    );
    expect(isAscending(sorted.map((result) => result.position?.commit ?? 0n))).toBe(true);
  });

  it('are all answered in a burst of 500', async () => {
    const results = await Promise.all(
      Array.from({ length: 500 }, () => append(freshStream(), event())),
    );
    expect(new Set(results.map((result) => result.position?.commit)).size).toBe(500);
  });

  it('keep the order of 64 appenders to separate streams', async () => {
    const streams = Array.from({ length: 64 }, () => freshStream());
    const results = await Promise.all(
      streams.map(async (stream) => {
        const own: AppendResult[] = [];
        for (let n = 0; n < 5; n += 1) {
          const expectedRevision = n === 0 ? NO_STREAM : BigInt(2 * n - 1);
          own.push(await append(stream, events(2), expectedRevision));
        }
        return own;
      }),
    );
    for (const own of results) {
      expect(own.map((result) => result.nextExpectedRevision)).toEqual([1n, 3n, 5n, 7n, 9n]);
      expect(isAscending(own.map((result) => result.position?.commit ?? 0n))).toBe(true);
    }
    const positions = results.flat().map((result) => result.position?.commit);
    expect(new Set(positions).size).toBe(positions.length);
  });
});

describe('ordering', () => {
  it('shows an acknowledged append to other clients, in its stream and in $all', async () => {
    const other = connect();
    for (let n = 0; n < 20; n += 1) {
      const stream = freshStream();
      const sent = event(n);
      const { position } = await client.appendToStream(stream, sent, {
        expectedRevision: NO_STREAM,
      });
      const [fromStream] = await collect(other.readStream(stream));
      const [fromAll] = await collect(other.readAll({ fromPosition: position!, maxCount: 1 }));
      expect([fromStream?.event?.id, fromAll?.event?.id]).toEqual([sent.id, sent.id]);
    }
  });

  it('keeps the events of an append adjacent, and streams in order in $all', async () => {
    const streams = Array.from({ length: 16 }, () => freshStream('order'));
    const first = await client.appendToStream(freshStream(), event());
    await Promise.all(
      streams.map(async (stream) => {
        for (let n = 0; n < 4; n += 1)
          await client.appendToStream(stream, events(3), { expectedRevision: ANY });
      }),
    );
    const mine = new Set(streams);
    const all = await collect(client.readAll({ fromPosition: first.position! }));
    const seen = all.flatMap(({ event: recorded }) =>
      recorded && mine.has(recorded.streamId) ? [recorded] : [],
    );
    expect(seen).toHaveLength(16 * 12);
    expect(isAscending(seen.map(({ position }) => position.commit))).toBe(true);
    for (const stream of streams) {
      const revisions = seen
        .filter(({ streamId }) => streamId === stream)
        .map(({ revision }) => revision);
      expect(revisions).toEqual(revisions.map((_, n) => BigInt(n)));
    }
    const places = new Map(all.map((resolved, index) => [resolved.event?.position.commit, index]));
    for (const { streamId, revision, position } of seen) {
      if (revision % 3n === 2n) continue;
      const next = seen.find(
        (other) => other.streamId === streamId && other.revision === revision + 1n,
      );
      expect(places.get(next?.position.commit)).toBe(places.get(position.commit)! + 1);
    }
  });
});

describe('the position of an append', () => {
  it('is that of its last event', async () => {
    const stream = freshStream();
    const result = await client.appendToStream(stream, events(3), { expectedRevision: NO_STREAM });
    const positions = (await collect(client.readStream(stream))).map(
      (read) => read.event?.position,
    );
    expect(positions[2]).toEqual(result.position);
    expect(isAscending(positions.map((position) => position?.commit ?? 0n))).toBe(true);
    expect(positions.every((position) => position?.commit === position?.prepare)).toBe(true);
  });
});
