import type { Route } from '#shared/domain/routing.ts';
import { route } from '#shared/domain/operation/testing/create.ts';
import { shopSettings } from '#shared/domain/shop/testing/settings.ts';
import { merchantStream, shopStream } from '#shared/domain/shop/events.ts';
import { hashBody } from '#shared/platform/ids.ts';
import { keyOf, type NewLogEvent } from './log.ts';

/** The operation id secret of each shop, derived from its id. */
export const secretOf = (shopId: string) => Buffer.from(hashBody(shopId), 'hex');

/** The hash of each shop's API key. */
export const keyHashOf = (shopId: string) => hashBody(['key', shopId]);

export const testRoute = (type: Route['type'], more: Partial<Route> = {}) =>
  route({ type, ...more });

const payments = testRoute('payment', { max_amount: '5000.00' });
const limited = { ...payments, account: 'main', daily_count: 500, daily_amount: '100000.00' };
const payouts = { ...payments, type: 'payout', commission: { percent: '1', fixed: '10.00' } };
/** The routes that operations use. */
const used = [
  testRoute('payment'),
  testRoute('payment', { requires_receipt: true }),
  testRoute('payment', { account: 'second' }),
  testRoute('payout'),
];

export const testSettings = (name: string) =>
  shopSettings({
    name,
    display_name: 'Shop for payers',
    return_url: 'https://a.example/{operation_id}',
    payout_batches_need_second_member: true,
  });

/** Merchants and shops, each with a webhook, routes and an API key. */
export function setUpShops(
  log: { append(event: NewLogEvent): unknown },
  shopIds: readonly string[],
  routes: readonly object[] = used,
): void {
  const merchantId = 'merchant-1';
  log.append({
    stream: merchantStream(merchantId),
    type: 'MerchantCreated',
    data: { merchant_id: merchantId, name: 'Merchant' },
  });
  for (const [index, shopId] of shopIds.entries()) {
    const stream = shopStream(shopId);
    const settings = testSettings(shopId);
    const secret = secretOf(shopId).toString('hex');
    log.append({
      stream,
      type: 'ShopCreated',
      data: { shop_id: shopId, merchant_id: merchantId, operation_id_secret: secret, settings },
    });
    log.append({
      stream,
      type: 'WebhookConfigured',
      data: { url: 'https://a.example/', enabled: true },
    });
    // The second shop has another endpoint, for few types.
    if (index === 1)
      log.append({
        stream,
        type: 'WebhookConfigured',
        data: {
          endpoint_id: `${shopId}-endpoint`,
          url: 'https://b.example/',
          enabled: true,
          types: ['payment.completed'],
        },
      });
    log.append({
      stream,
      type: 'ApiKeyIssued',
      data: { key_id: keyOf(shopId), key_hash: keyHashOf(shopId), label: 'till', hint: 'abcd' },
    });
    // Each set replaces the one before; operations were routed by any of them.
    const sets = [[payments, payouts], ...routes.map((first) => [first, ...routes, limited])];
    for (const set of sets) log.append({ stream, type: 'RoutesReplaced', data: { routes: set } });
  }
}

export const testShops = ['shop-1', 'shop-2', 'shop-3', 'shop-4', 'shop-5'];
