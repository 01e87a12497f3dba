import { expect, test } from 'vitest';
import { guardCheckpoints } from '#shared/application/log/guard-checkpoints.ts';
import { shopSettings } from '#shared/domain/shop/testing/settings.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { useOwnEventStore } from '#projections/testing/stores.ts';
import { createDirectory } from '#shared/application/directory/directory.ts';
import { announceSetupChange, directoryStream } from '#shared/application/directory/stream.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import { hashApiKey, newApiKey } from '#shared/application/credentials.ts';
import { newId } from '#shared/platform/ids.ts';
import { toMetadata, toNewEvents } from '#shared/application/commands/new-events.ts';
import { sweepUnfinished } from '../sweeper.ts';
import { missingAnnouncements } from './missing-announcements.ts';

// A separate log, because only this test leaves changes unannounced.
const own = useOwnEventStore();

const origin = { actor: 'service:test', correlationId: 'test' };
const polling = { interval: 20 };

async function append(shopId: string, expectedRevision: number, event: ShopEvent): Promise<void> {
  const events = toNewEvents([event], origin);
  const request = { stream: shopStream(shopId), expectedRevision, events };
  expect((await own.store.append(request)).outcome).toBe('appended');
}

async function shopWithKey() {
  const [shopId, keyId, apiKey] = [newId(), newId(), newApiKey()];
  const key = { key_id: keyId, key_hash: hashApiKey(apiKey) };
  const secret = { operation_id_secret: 'ab'.repeat(32) };
  const data = { shop_id: shopId, merchant_id: 'm', ...secret, settings: shopSettings() };
  await append(shopId, -1, { type: 'ShopCreated', data });
  await append(shopId, 0, { type: 'ApiKeyIssued', data: { ...key, label: 'l', hint: 'h' } });
  return { shopId, apiKey, keyId, key };
}

const announce = ({ shopId, key }: Awaited<ReturnType<typeof shopWithKey>>) =>
  announceSetupChange(
    own.store,
    { shop_id: shopId, shop_revision: 1, api_key: key },
    toMetadata(origin, 'SetupChanged'),
  );

test('announces each unannounced change once, from before the start of the sweep or after it', async () => {
  const { store } = own;
  const [before, after] = [await shopWithKey(), await shopWithKey()];
  const unannounced = await shopWithKey();
  await announce(before);
  await announce(after);
  const revoke = ({ shopId, keyId }: typeof before) =>
    append(shopId, 1, { type: 'ApiKeyRevoked', data: { key_id: keyId } });
  const directory = createDirectory(store);
  expect(await directory.byApiKey(before.apiKey)).toBeDefined();
  await revoke(before);

  const stop = new AbortController();
  const tasks = [missingAnnouncements({ store, logger, everyMs: 50 })];
  const running = sweepUnfinished({
    store,
    logger,
    guard: guardCheckpoints({ logger }),
    signal: stop.signal,
    tasks,
  });
  await expect.poll(() => directory.byApiKey(before.apiKey), polling).toBeUndefined();
  // An operator who lists the key can revoke it.
  const { keyId, shopId } = unannounced;
  await expect.poll(() => directory.shopIdOfKey(keyId), polling).toBe(shopId);
  expect(await directory.byApiKey(after.apiKey)).toBeDefined();
  await revoke(after);
  await expect.poll(() => directory.byApiKey(after.apiKey), polling).toBeUndefined();

  stop.abort();
  await running;
  await directory.stop();
  expect(await store.read(directoryStream)).toHaveLength(5);
});
