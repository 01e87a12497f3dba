import { noRateLimit, sandboxRoute } from '#infra/verify/harness/operator.ts';
import { announceSetupChange } from '#shared/application/directory/stream.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { type EventStore } from '#shared/platform/event-store/index.ts';
import { hashApiKey, newApiKey, newId } from '#shared/platform/ids.ts';

export type BenchShop = { shopId: string; apiKey: string };

const metadata = {
  correlation_id: 'bench',
  actor: 'operator:admin',
  token_id: 'first',
  schema_version: 1,
};

export const benchRoutes = ['payment', 'payout'].map((type) => sandboxRoute({ type }));

/**
 * The provider completes each payment, so soon that while it is measured as many end as begin.
 */
export const endingRoutes = [sandboxRoute({ type: 'payment', options: { autopilot_ms: 500 } })];

/**
 * Writes a shop with a key and routes into the log, as the admin API would: for stacks that have no
 * admin API.
 */
export async function writeShop(store: EventStore): Promise<BenchShop> {
  const shopId = newId();
  const apiKey = newApiKey();
  const key = { key_id: newId(), key_hash: hashApiKey(apiKey) };
  const events: ShopEvent[] = [
    {
      type: 'ShopCreated',
      data: {
        shop_id: shopId,
        merchant_id: newId(),
        operation_id_secret: newId().replaceAll('-', '').repeat(2),
        settings: { name: 'Bench', hosted_page: true, overdraft_limits: {}, rate_limit: noRateLimit },
      },
    },
    { type: 'ApiKeyIssued', data: { ...key, label: 'bench', hint: apiKey.slice(-4) } },
    { type: 'RoutesReplaced', data: { routes: benchRoutes.map((route) => routeSchema.parse(route)) } },
  ];
  const written = await store.append({
    stream: shopStream(shopId),
    expectedRevision: -1,
    events: events.map((event) => ({ ...event, id: newId(), metadata })),
  });
  const change = { shop_id: shopId, shop_revision: events.length - 1, api_key: key };
  const announced = await announceSetupChange(store, change, metadata);
  if (written.outcome !== 'appended' || announced !== 'announced')
    throw new Error('no shop could be written');
  return { shopId, apiKey };
}
