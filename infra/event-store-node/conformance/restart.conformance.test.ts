import { NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it, vi } from 'vitest';
import { followSubscription } from './support/follow.ts';
import { startNodeProcess } from '#infra/verify/harness/stores/event-store-process.ts';
import { startOwnStore } from './support/own-store.ts';
import {
  collect,
  connect,
  event,
  events,
  freshStream,
  isExternal,
  rejection,
} from './support/store.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

describe.skipIf(isExternal)(
  'a restart (needs its own node: skipped when EVENT_STORE_URL is set)',
  () => {
    it.each(['SIGTERM', 'SIGKILL'] as const)(
      'preserves all data after %s, and continues positions',
      async (signal) => {
        const store = await startOwnStore();
        const client = connect(store.url);
        const [plain, soft, gone, trimmed] = [
          freshStream(),
          freshStream(),
          freshStream(),
          freshStream(),
        ];
        const written = events(3);
        const original = await client.appendToStream(plain, written, {
          expectedRevision: NO_STREAM,
        });
        await client.appendToStream(soft, events(4));
        await client.deleteStream(soft);
        await client.appendToStream(gone, events(2));
        await client.tombstoneStream(gone);
        await client.appendToStream(trimmed, events(9));
        await client.setStreamMetadata(trimmed, { maxCount: 2, owner: 'ledger' });
        const before = await collect(client.readAll());
        await store.stop(signal);
        await store.start();

        const after = connect(store.url);
        expect(await collect(after.readAll())).toEqual(before);
        expect(await collect(after.readStream(plain))).toHaveLength(3);
        expect(await rejection(collect(after.readStream(soft)))).toMatchObject({
          type: 'stream-not-found',
        });
        expect(await rejection(collect(after.readStream(gone)))).toMatchObject({
          type: 'stream-deleted',
        });
        expect(await rejection(after.appendToStream(gone, event()))).toMatchObject({
          type: 'stream-deleted',
        });
        expect(await collect(after.readStream(trimmed))).toHaveLength(2);
        expect((await after.getStreamMetadata(trimmed)).metadata).toEqual({
          maxCount: 2,
          owner: 'ledger',
        });
        // A retry whose answer was lost with the server.
        expect(await after.appendToStream(plain, written, { expectedRevision: NO_STREAM })).toEqual(
          original,
        );
        const next = await after.appendToStream(plain, event(), { expectedRevision: 2n });
        expect(next.nextExpectedRevision).toBe(3n);
        expect(next.position?.commit).toBeGreaterThan(before.at(-1)?.event?.position.commit ?? 0n);
        expect(
          (await after.appendToStream(soft, event(), { expectedRevision: NO_STREAM }))
            .nextExpectedRevision,
        ).toBe(4n);
      },
    );

    it('adds an epoch that $all and its subscribers never see', async () => {
      const store = await startOwnStore();
      const epochs = async () =>
        (await collect(connect(store.url).readStream('$epoch-information'))).length;
      const first = await epochs();
      const mark = await connect(store.url).appendToStream(freshStream(), event());
      await store.stop('SIGTERM');
      await store.start();
      const client = connect(store.url);
      expect(await epochs()).toBe(first + 1);
      const last = await client.appendToStream(freshStream(), event());
      const seen = followSubscription(client.subscribeToAll({ fromPosition: mark.position! }));
      await seen.until((all) =>
        all.events.some(({ position }) => position.commit === last.position?.commit),
      );
      expect(seen.events).toHaveLength(1);
      const types = (await collect(client.readAll())).map(
        ({ event: recorded }) => recorded?.type ?? '',
      );
      expect(types.filter((type) => type.startsWith('$epoch'))).toEqual([]);
    });

    it('lets a subscription resume from an earlier position', async () => {
      const store = await startOwnStore();
      const client = connect(store.url);
      const stream = freshStream();
      const { position } = await client.appendToStream(stream, events(2));
      await client.appendToStream(stream, events(3));
      await store.stop('SIGKILL');
      await store.start();
      const after = connect(store.url);
      const seen = followSubscription(after.subscribeToAll({ fromPosition: position! }));
      await after.appendToStream(stream, event());
      await seen.until((all) => all.events.length === 4);
      expect(seen.events.map(({ revision }) => revision)).toEqual([2n, 3n, 4n, 5n]);
    });

    it('fails for a second node on the same directory, and changes nothing', async () => {
      const store = await startOwnStore();
      const client = connect(store.url);
      await client.appendToStream(freshStream(), event());
      await expect(startNodeProcess({ directory: store.directory })).rejects.toThrow(
        /before it was ready/,
      );
      await client.appendToStream(freshStream(), event());
      const mine = (await collect(client.readAll())).filter(
        (read) => read.event?.type === 'tested',
      );
      expect(mine).toHaveLength(2);
    });

    it('ends subscriptions as unavailable after kill -9, then serves the same client', async () => {
      const store = await startOwnStore();
      const client = connect(store.url);
      const stream = freshStream();
      await client.appendToStream(stream, event(), { expectedRevision: NO_STREAM });
      const toStream = followSubscription(client.subscribeToStream(stream));
      const toAll = followSubscription(client.subscribeToAll());
      await toStream.until(({ caughtUps }) => caughtUps === 1);
      await toAll.until(({ caughtUps }) => caughtUps === 1);
      await store.stop('SIGKILL');
      for (const seen of [toStream, toAll]) {
        await seen.until(({ isEnded, error }) => isEnded || error !== undefined);
        expect(seen.error).toMatchObject({ type: 'unavailable', code: 14 });
      }
      const down = await vi.waitFor(async () => {
        const error = await rejection(client.appendToStream(stream, event(), { deadline: 1000 }));
        expect(error['code']).toBe(14);
        return error;
      }, waitLimitMs);
      // The first call after the loss requests the server's features: a plain gRPC error, no type.
      expect([undefined, 'unavailable']).toContain(down['type']);
      await store.start();
      const again = event(7);
      const result = await vi.waitFor(
        () => client.appendToStream(stream, again, { expectedRevision: 0n }),
        { timeout: waitLimitMs, interval: 100 },
      );
      expect(result.nextExpectedRevision).toBe(1n);
      expect((await collect(client.readStream(stream))).map((read) => read.event?.id)).toContain(
        again.id,
      );
    });

    it('ends subscriptions with an error on SIGTERM, exits with 0, and loses no append', async () => {
      const store = await startOwnStore();
      const client = connect(store.url);
      const stream = freshStream();
      const { nextExpectedRevision } = await client.appendToStream(stream, events(3), {
        expectedRevision: NO_STREAM,
      });
      const toStream = followSubscription(client.subscribeToStream(stream));
      const toAll = followSubscription(client.subscribeToAll());
      await toStream.until(({ events: all }) => all.length === 3);
      await toAll.until(({ caughtUps }) => caughtUps === 1);
      expect(await store.stop('SIGTERM')).toBe(0);
      for (const seen of [toStream, toAll]) {
        await seen.until(({ isEnded, error }) => isEnded || error !== undefined);
        // 13: the stream was reset without a status, as by the real server; 14: a lost connection.
        expect([13, 14]).toContain(seen.error?.code);
      }
      await store.start();
      expect(await collect(connect(store.url).readStream(stream))).toHaveLength(
        Number(nextExpectedRevision) + 1,
      );
    });
  },
);
