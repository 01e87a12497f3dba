import { announceSetupChange } from '#shared/application/directory/stream.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import type { EventMetadata, EventStore } from '#shared/platform/event-store/index.ts';
import { hashApiKey, newApiKey } from '#shared/application/credentials.ts';
import { newId } from '#shared/platform/ids.ts';

type Settings = Extract<ShopEvent, { type: 'ShopCreated' }>['data']['settings'];

/** `secret`: from which the ids of its operations are derived. */
export type WrittenShop = { shopId: string; apiKey: string; keyId: string; secret: string };

/** Writes a shop with a key and routes into the log, without an admin API. */
export async function writeShop(
  store: EventStore,
  {
    settings,
    routes,
    metadata,
  }: { settings: Settings; routes: readonly object[]; metadata: EventMetadata },
): Promise<WrittenShop> {
  const shopId = newId();
  const apiKey = newApiKey();
  const secret = newId().replaceAll('-', '').repeat(2);
  const key = { key_id: newId(), key_hash: hashApiKey(apiKey) };
  const events: ShopEvent[] = [
    {
      type: 'ShopCreated',
      data: { shop_id: shopId, merchant_id: newId(), operation_id_secret: secret, settings },
    },
    { type: 'ApiKeyIssued', data: { ...key, label: 'test', hint: apiKey.slice(-4) } },
    { type: 'RoutesReplaced', data: { routes: routes.map((route) => routeSchema.parse(route)) } },
  ];
  const written = await store.append({
    stream: shopStream(shopId),
    expectedRevision: -1,
    events: events.map((event) => ({ ...event, id: newId(), metadata })),
  });
  if (written.outcome !== 'appended')
    throw new Error(`the shop is not written: ${written.outcome}`);
  const change = { shop_id: shopId, shop_revision: events.length - 1, api_key: key };
  const announced = await announceSetupChange(store, change, metadata);
  if (announced !== 'announced') throw new Error('the shop is not announced');
  return { shopId, apiKey, keyId: key.key_id, secret };
}
