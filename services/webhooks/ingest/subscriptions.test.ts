import { expect, it } from 'vitest';
import { storedEvent, testMetadata } from '#shared/platform/event-store/testing/new-event.ts';
import { shopStream } from '#shared/domain/shop/events.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { createReadSubscriptions } from './subscriptions.ts';

const stream = shopStream('shop-1');
const eventAt = (position: bigint, event: Partial<StoredEvent>): StoredEvent =>
  storedEvent({ type: 'Other', stream: 'other', position, ...event });
const configured = (position: bigint, revision: number, endpoint_id: string, types?: string[]) =>
  eventAt(position, {
    type: 'WebhookConfigured',
    data: { url: 'https://a.example/', enabled: true, endpoint_id, ...(types && { types }) },
    metadata: { ...testMetadata, schema_version: newestVersion('WebhookConfigured') },
    stream,
    revision,
  });

/** A log of which this process has received the events between two positions. */
function storeWith(log: StoredEvent[], received: { after: bigint; upTo: bigint }) {
  let reads = 0;
  return {
    reads: () => reads,
    received,
    read: async (name: string, { fromRevision = 0 }: { fromRevision?: number | bigint } = {}) => {
      reads += 1;
      return log.filter((each) => each.stream === name && each.revision >= Number(fromRevision));
    },
    followed: (after: bigint) =>
      after < received.after
        ? []
        : log.filter(({ position }) => position > after && position <= received.upTo),
  };
}

const type = 'payment.completed';

it('reads the stream of a shop again only if it may have a new event', async () => {
  const log = [configured(1n, 0, 'first'), eventAt(2n, {}), eventAt(3n, {})];
  const store = storeWith(log, { after: 1n, upTo: 3n });
  const readSubscriptions = createReadSubscriptions(store);
  const endpointsAt = async (position: bigint) =>
    (await readSubscriptions('shop-1', position)).endpointsOf({ position, type });

  expect(await endpointsAt(2n)).toEqual(['first']);
  expect(await endpointsAt(3n)).toEqual(['first']);
  expect(store.reads()).toBe(1);

  log.push(configured(4n, 1, 'second'), eventAt(5n, {}));
  store.received.upTo = 5n;
  expect(await endpointsAt(5n)).toEqual(['first', 'second']);
  expect(store.reads()).toBe(2);
});

it.each([
  ['has not received all events before', { after: 1n, upTo: 2n }],
  ['no longer holds the events since', { after: 3n, upTo: 4n }],
])('reads it again if the process %s', async (_, received) => {
  const log = [configured(1n, 0, 'first'), eventAt(2n, {})];
  const store = storeWith(log, received);
  const readSubscriptions = createReadSubscriptions(store);
  await readSubscriptions('shop-1', 2n);
  log.push(configured(3n, 1, 'second'), eventAt(4n, {}));
  const subscriptions = await readSubscriptions('shop-1', 4n);
  expect(subscriptions.endpointsOf({ position: 4n, type })).toEqual(['first', 'second']);
  expect(store.reads()).toBe(2);
});

it('reads it again if no position is passed', async () => {
  const store = storeWith([configured(1n, 0, 'first')], { after: 0n, upTo: 1n });
  const readSubscriptions = createReadSubscriptions(store);
  await readSubscriptions('shop-1');
  await readSubscriptions('shop-1');
  expect(store.reads()).toBe(2);
});

it('sends an event to the endpoints that took its type when it was recorded (R14.17)', async () => {
  const log = [
    configured(1n, 0, 'first', ['payment.completed']),
    configured(3n, 1, 'first', ['payment.expired']),
    configured(5n, 2, 'first'),
  ];
  const { endpointsOf } = await createReadSubscriptions(storeWith(log, { after: 0n, upTo: 5n }))(
    'shop-1',
  );
  const takenAt = (position: bigint) =>
    ['payment.completed', 'payment.expired'].filter(
      (each) => endpointsOf({ position, type: each }).length > 0,
    );
  expect(takenAt(1n)).toEqual([]);
  expect(takenAt(2n)).toEqual(['payment.completed']);
  expect(takenAt(4n)).toEqual(['payment.expired']);
  expect(takenAt(6n)).toEqual(['payment.completed', 'payment.expired']);
});

it('fails as long as an event of the shop can’t be decoded', async () => {
  const unreadable = { ...configured(1n, 0, 'first'), data: {} };
  const readSubscriptions = createReadSubscriptions(
    storeWith([unreadable], { after: 0n, upTo: 1n }),
  );
  await expect(readSubscriptions('shop-1', 1n)).rejects.toThrow('WebhookConfigured');
  await expect(readSubscriptions('shop-1', 1n)).rejects.toThrow('WebhookConfigured');
});
