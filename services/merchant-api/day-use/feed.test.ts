import { expect, it, onTestFinished } from 'vitest';
import { storedEvent, testMetadata } from '#shared/platform/event-store/testing/new-event.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { admitted } from '#shared/domain/operation/testing/given.ts';
import { createFeed } from './feed.ts';

const ofNewerVersion = storedEvent({
  ...admitted(),
  metadata: { ...testMetadata, schema_version: 1_000 },
  stream: 'operation-6f1d5b1e-0000-8000-8000-000000000001',
  position: 7n,
});

it('stops at an event that it cannot read, and subscribes again before it (R7.17)', async () => {
  const subscribedAfter: (bigint | undefined)[] = [];
  const subscribe: EventStore['subscribe'] = async function* ({ after }) {
    subscribedAfter.push(after);
    if (after === undefined || after < 7n) yield [{ kind: 'event', event: ofNewerVersion }];
    yield [{ kind: 'caught_up' }];
  };
  const stopped = new AbortController();
  const feed = createFeed(
    {
      store: { subscribe } as EventStore,
      guard: { verify: async () => undefined },
      logger: { warn: () => undefined },
      signal: stopped.signal,
    },
    () => undefined,
  );
  onTestFinished(async () => {
    stopped.abort();
    await feed.stop();
  });
  feed.begin(async () => ({ position: 3n }));
  await eventually('it subscribes again', () => subscribedAfter.length > 1);
  expect(subscribedAfter.slice(0, 2)).toEqual([3n, 3n]);
  expect(feed.lastPosition()).toBe(3n);
  expect(feed.isLive()).toBe(false);
});
