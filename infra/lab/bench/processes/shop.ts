import { noRateLimit, sandboxRoute } from '#infra/verify/harness/shops/operator.ts';
import { writeShop } from '#infra/verify/harness/shops/written-shop.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';

export type BenchShop = { shopId: string; apiKey: string };

const metadata = {
  correlation_id: 'bench',
  actor: 'operator:admin',
  token_id: 'first',
  schema_version: 1,
};

export const benchRoutes = ['payment', 'payout'].map((type) => sandboxRoute({ type }));

/** A shop for a stack that has no admin API. */
export const writeBenchShop = (store: EventStore): Promise<BenchShop> =>
  writeShop(store, {
    settings: { name: 'Bench', hosted_page: true, overdraft_limits: {}, rate_limit: noRateLimit },
    routes: benchRoutes,
    metadata,
  });
