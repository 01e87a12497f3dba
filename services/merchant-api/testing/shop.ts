import { expect } from 'vitest';
import { announceSetupChange } from '#shared/application/directory/stream.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { hashApiKey, newApiKey, newId } from '#shared/platform/ids.ts';

export type ShopChange = { routes?: object[]; hostedPage?: boolean; overdraftLimits?: { RUB?: string } };

const metadata = { correlation_id: 'test', actor: 'service:test', schema_version: 1 };

/**
 * A shop with a key, routes and ten times the usual rate limit; each route is a payment by card
 * at 2.5 % unless it says otherwise. `secret`: what its operations' ids are made with.
 */
export async function setUpShop(
  store: EventStore,
  { routes = [{}], hostedPage = true, overdraftLimits = {} }: ShopChange,
): Promise<{ shopId: string; apiKey: string; keyId: string; secret: string }> {
  const shopId = newId();
  const apiKey = newApiKey();
  const secret = newId().replaceAll('-', '').repeat(2);
  const key = { key_id: newId(), key_hash: hashApiKey(apiKey) };
  const events: ShopEvent[] = [
    {
      type: 'ShopCreated',
      data: {
        shop_id: shopId,
        merchant_id: newId(),
        operation_id_secret: secret,
        settings: {
          name: 'Test',
          hosted_page: hostedPage,
          overdraft_limits: overdraftLimits,
          rate_limit: { per_second: 1_000, burst: 2_000 },
        },
      },
    },
    { type: 'ApiKeyIssued', data: { ...key, label: 'test', hint: apiKey.slice(-4) } },
    {
      type: 'RoutesReplaced',
      data: {
        routes: routes.map((change) =>
          routeSchema.parse({
            type: 'payment',
            method: 'WT_RUB_C2C',
            currency: 'RUB',
            provider: 'sandbox',
            commission: { percent: '2.50' },
            ...change,
          }),
        ),
      },
    },
  ];
  const appended = await store.append({
    stream: shopStream(shopId),
    expectedRevision: -1,
    events: events.map((event) => ({ ...event, id: newId(), metadata })),
  });
  expect(appended.outcome).toBe('appended');
  await announceSetupChange(store, { shop_id: shopId, shop_revision: 2, api_key: key }, metadata);
  return { shopId, apiKey, keyId: key.key_id, secret };
}
