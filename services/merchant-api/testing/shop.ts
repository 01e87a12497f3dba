import { testMetadata } from '#shared/platform/event-store/testing/new-event.ts';
import { writeShop, type WrittenShop } from '#infra/verify/harness/shops/written-shop.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';

export type ShopChange = {
  routes?: object[];
  hostedPage?: boolean;
  overdraftLimits?: { RUB?: string };
};

const usualRoute = {
  type: 'payment',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  provider: 'sandbox',
  commission: { percent: '2.50' },
};

/**
 * A shop with a key, routes and ten times the usual rate limit; a route is for payments by card at
 * 2.5 % by default.
 */
export const setUpShop = (
  store: EventStore,
  { routes = [{}], hostedPage = true, overdraftLimits = {} }: ShopChange,
): Promise<WrittenShop> =>
  writeShop(store, {
    settings: {
      name: 'Test',
      hosted_page: hostedPage,
      overdraft_limits: overdraftLimits,
      rate_limit: { per_second: 1_000, burst: 2_000 },
    },
    routes: routes.map((change) => ({ ...usualRoute, ...change })),
    metadata: testMetadata,
  });
