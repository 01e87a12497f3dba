import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shopSettings } from '#shared/domain/shop/testing/settings.ts';
import { newEvent, testMetadata } from '#shared/platform/event-store/testing/new-event.ts';
import { storeForFile, useProxiedStore } from '#infra/verify/harness/stores/store.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import { NO_STREAM } from '#shared/platform/event-store/index.ts';
import { hashApiKey, newApiKey } from '#shared/application/credentials.ts';
import { newId } from '#shared/platform/ids.ts';
import { createDirectory, type Directory } from './directory.ts';
import { announceSetupChange, setupLeaseMs } from './stream.ts';

const store = storeForFile();
const directories: Directory[] = [];
beforeAll(() => {
  directories.push(createDirectory(store), createDirectory(store));
});
afterAll(() => Promise.all(directories.map((directory) => directory.stop())));

async function append(shopId: string, expectedRevision: number, event: ShopEvent): Promise<void> {
  const appended = await store.append({
    stream: shopStream(shopId),
    expectedRevision,
    events: [newEvent(event)],
  });
  expect(appended.outcome).toBe('appended');
}

async function newShop() {
  const [shopId, apiKey] = [newId(), newApiKey()];
  const key = { key_id: newId(), key_hash: hashApiKey(apiKey) };
  await append(shopId, NO_STREAM, {
    type: 'ShopCreated',
    data: {
      shop_id: shopId,
      merchant_id: 'm',
      operation_id_secret: 'ab'.repeat(32),
      settings: shopSettings(),
    },
  });
  await append(shopId, 0, { type: 'ApiKeyIssued', data: { ...key, label: 'l', hint: 'h' } });
  expect(
    await announceSetupChange(
      store,
      { shop_id: shopId, shop_revision: 1, api_key: key },
      testMetadata,
    ),
  ).toBe('announced');
  return { shopId, apiKey, keyId: key.key_id };
}

describe('the directory', () => {
  it('accepts an issued API key on every instance, and no other key', async () => {
    const { shopId, apiKey, keyId } = await newShop();
    for (const directory of directories) {
      expect(await directory.byApiKey(apiKey)).toMatchObject({ keyId, shop: { shopId } });
      expect(await directory.byApiKey(newApiKey())).toBeUndefined();
      expect(await directory.shopIdOfKey(keyId)).toBe(shopId);
    }
  });

  it('rejects a revoked key on every instance once the lease has expired', async () => {
    const { shopId, apiKey, keyId } = await newShop();
    await Promise.all(directories.map((directory) => directory.byApiKey(apiKey)));
    await append(shopId, 1, { type: 'ApiKeyRevoked', data: { key_id: keyId } });
    await announceSetupChange(store, { shop_id: shopId, shop_revision: 2 }, testMetadata);
    await delay(setupLeaseMs);
    for (const directory of directories) expect(await directory.byApiKey(apiKey)).toBeUndefined();
  });

  it('applies 100 concurrent announcements', async () => {
    const shops = await Promise.all(Array.from({ length: 100 }, newShop));
    for (const directory of directories) {
      const entries = await Promise.all(shops.map(({ apiKey }) => directory.byApiKey(apiKey)));
      expect(entries.map((each) => each?.shop.shopId)).toEqual(shops.map(({ shopId }) => shopId));
    }
  });

  it('throws instead of using an expired cache while the log is unavailable', async () => {
    const { proxy, store: unreachable } = await useProxiedStore();
    const directory = createDirectory(unreachable);
    const { apiKey } = await newShop();
    expect(await directory.byApiKey(apiKey)).toBeDefined();
    await proxy.close();
    await delay(setupLeaseMs);
    await expect(directory.byApiKey(apiKey)).rejects.toThrow(/./);
    await directory.stop();
  });
});
