import { shops } from '#shared/application/directory/shops.ts';
import { providerSetup } from '#shared/application/directory/provider-setup.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { merchantStream, shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { foldStored } from '#shared/platform/event-store/index.ts';
import { hashApiKey, newApiKey } from '#shared/application/credentials.ts';
import { newId } from '#shared/platform/ids.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import type { SimulatedLog } from '../log.ts';

export type SimulatedShop = { shop: Shop; apiKey: string };

/** `polled` has no idempotency keys and sends no callbacks. */
export const simpleProviders = ['simulated', 'other', 'polled'] as const;
/** `bank`: the gateway's own connector, and the sandbox's bank. */
const providerNames = [...simpleProviders, 'bank'] as const;
const terms = { currency: 'RUB', method: 'WT_RUB_C2C' } as const;
const toDollars = { conversion: { settlement_currency: 'USD', fx_source: 'simulated' } };
/** With the bank half an hour becomes seconds, and there is no conversion. */
const at = (provider: string, random: Random) => {
  if (provider === 'bank') return { provider, options: { payable_s: 20 } };
  return { provider, ...(random.chance(0.2) && toDollars) };
};

/** A shop with up to four routes of each kind, sometimes with an overdraft limit of zero. */
export function makeShop(log: SimulatedLog, random: Random): SimulatedShop {
  const apiKey = newApiKey();
  const shopId = newId();
  const merchantId = newId();
  const routes = (['payment', 'payout'] as const).flatMap((type) =>
    Array.from({ length: 1 + random.below(4) }, (_, index) =>
      routeSchema.parse({
        ...terms,
        ...at(random.pick(providerNames), random),
        type,
        priority: index + 1,
        commission: {
          percent: random.pick(['0', '1.50', '2.25']),
          fixed: random.pick(['0.00', '0.30']),
        },
        ...(type === 'payment' && random.chance(0.4) && { requires_receipt: true }),
      }),
    ),
  );
  const events: ShopEvent[] = [
    {
      type: 'ShopCreated',
      data: {
        shop_id: shopId,
        merchant_id: merchantId,
        operation_id_secret: newId().replaceAll('-', '').repeat(2),
        settings: {
          name: 'Simulated',
          hosted_page: true,
          overdraft_limits: random.chance(0.5) ? { RUB: '0.00' } : {},
          rate_limit: { per_second: 10_000, burst: 10_000 },
        },
      },
    },
    {
      type: 'ApiKeyIssued',
      data: {
        key_id: newId(),
        key_hash: hashApiKey(apiKey),
        label: 'simulated',
        hint: apiKey.slice(-4),
      },
    },
    { type: 'RoutesReplaced', data: { routes } },
    { type: 'WebhookConfigured', data: { url: 'https://merchant.simulated/', enabled: true } },
  ];
  const who = { actor: 'operator:admin', token_id: 'first' };
  const metadata = { correlation_id: shopId, ...who, schema_version: 1 };
  const stream = shopStream(shopId);
  const created = { type: 'MerchantCreated', data: { merchant_id: merchantId, name: 'Simulated' } };
  log.append({
    stream: merchantStream(merchantId),
    expectedRevision: -1,
    events: [{ ...created, id: newId(), metadata }],
  });
  log.append({
    stream,
    expectedRevision: -1,
    events: events.map((event) => ({ ...event, id: newId(), metadata })),
  });
  const shop = foldStored(shops, log.read(stream));
  if (shop.phase !== 'created') throw new Error('the shop was not created');
  return { shop, apiKey };
}

/**
 * The set-up is constant in a simulation: keys and settings are known to every instance at all
 * times.
 */
export function createSimulatedDirectory(known: readonly SimulatedShop[]): Directory {
  const cachedKey: Directory['cachedKey'] = (apiKey) => {
    const found = known.find((each) => each.apiKey === apiKey);
    return found && { shop: found.shop, keyId: found.shop.apiKeys[0]?.keyId ?? '', limits: {} };
  };
  return {
    byApiKey: async (apiKey) => cachedKey(apiKey),
    cachedKey,
    byId: async (shopId) => known.find(({ shop }) => shop.shopId === shopId)?.shop,
    shopIdOfKey: async () => undefined,
    providers: async () => providerSetup.initial,
    ready: async () => undefined,
    stop: async () => undefined,
  };
}
