import { announceSetupChange } from '#shared/application/directory/stream.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { hashApiKey, newApiKey, newId, operationIdFor } from '#shared/platform/ids.ts';

export type TestShop = {
  shopId: string;
  apiKey: string;
  operationIdOf(merchantOperationId: string): string;
};

/** A shop in the log with a key, known to every service; its routes are payouts by card at 1 % unless they say else. */
export async function givenShop(
  store: EventStore,
  routes: readonly object[],
  settings: { overdraft_limits?: { RUB?: string } } = {},
): Promise<TestShop> {
  const shopId = newId();
  const apiKey = newApiKey();
  const secret = newId().replaceAll('-', '').repeat(2);
  const key = { key_id: newId(), key_hash: hashApiKey(apiKey) };
  const metadata = { correlation_id: shopId, actor: 'service:test', schema_version: 1 };
  const events: ShopEvent[] = [
    {
      type: 'ShopCreated',
      data: {
        shop_id: shopId,
        merchant_id: newId(),
        operation_id_secret: secret,
        settings: {
          name: 'Test',
          hosted_page: true,
          overdraft_limits: {},
          rate_limit: { per_second: 100, burst: 200 },
          ...settings,
        },
      },
    },
    { type: 'ApiKeyIssued', data: { ...key, label: 'test', hint: apiKey.slice(-4) } },
    {
      type: 'RoutesReplaced',
      data: {
        routes: routes.map((change) =>
          routeSchema.parse({
            type: 'payout',
            method: 'WT_RUB_C2C',
            currency: 'RUB',
            provider: 'sandbox',
            commission: { percent: '1.00' },
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
  if (appended.outcome !== 'appended') throw new Error(`no shop: ${appended.outcome}`);
  await announceSetupChange(store, { shop_id: shopId, shop_revision: 2, api_key: key }, metadata);
  return { shopId, apiKey, operationIdOf: (name) => operationIdFor(Buffer.from(secret, 'hex'), name) };
}

export const payoutBody = () => ({
  merchant_operation_id: newId(),
  client_id: 'client-1',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
  number: '2200 1234 5678 9010',
});
