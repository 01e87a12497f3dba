import type { ShopSettings } from '../events.ts';

/** The settings of a shop, with this change. */
export const shopSettings = (change: Partial<ShopSettings> = {}): ShopSettings => ({
  name: 'Shop',
  hosted_page: true,
  overdraft_limits: {},
  rate_limit: { per_second: 100, burst: 200 },
  ...change,
});
