import { expect, it } from 'vitest';
import { shopSettings } from '#shared/domain/shop/testing/settings.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import { storedEvent } from '#shared/platform/event-store/testing/new-event.ts';
import { KnownShops } from './known-shops.ts';

const events: ShopEvent[] = [
  {
    type: 'ShopCreated',
    data: {
      shop_id: 's',
      merchant_id: 'm',
      operation_id_secret: 'ab'.repeat(32),
      settings: shopSettings(),
    },
  },
  { type: 'ApiKeyIssued', data: { key_id: 'k', key_hash: 'h', label: 'l', hint: 'h' } },
  { type: 'ApiKeyRevoked', data: { key_id: 'k' } },
];

/** A shop of which the replica that is read has this many events at each read. */
function createFixture(lengths: number[]) {
  const stream = shopStream('s');
  const stored = events.map((event, revision) => storedEvent({ ...event, stream, revision }));
  const shops = new KnownShops({
    read: async (_, { fromRevision = 0 } = {}) =>
      stored.slice(fromRevision, lengths.length > 1 ? lengths.shift() : lengths[0]),
  });
  shops.takeChange({ shop_id: 's', shop_revision: 1, api_key: { key_id: 'k', key_hash: 'h' } });
  return shops;
}

it('returns no shop while its replica lacks the revocation of a key (R1.6)', async () => {
  const shops = createFixture([2]);
  expect(await shops.current('s')).toMatchObject({ apiKeys: [{ keyId: 'k' }] });
  shops.takeChange({ shop_id: 's', shop_revision: 2 });
  await expect(shops.current('s')).rejects.toThrow('shop s is behind the directory');
});

it('waits for a replica that is a little behind', async () => {
  const shops = createFixture([2, 2, 2, 3]);
  await shops.current('s');
  shops.takeChange({ shop_id: 's', shop_revision: 2 });
  expect(await shops.current('s')).toMatchObject({
    revision: 2,
    apiKeys: [{ keyId: 'k', revokedAt: expect.any(String) }],
  });
});

it('leaves a key with its first shop when another is announced with it (R1.6)', () => {
  const shops = createFixture([2]);
  shops.takeChange({
    shop_id: 'thief',
    shop_revision: 1,
    api_key: { key_id: 'k-2', key_hash: 'h' },
  });
  expect(shops.keyOf('h')).toEqual({ keyId: 'k', shopId: 's' });
  expect(shops.shopIdOfKey('k-2')).toBeUndefined();
});
