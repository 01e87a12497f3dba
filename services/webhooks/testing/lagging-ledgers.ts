import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';

/** Ledgers that can't post entries of one shop for as long as it `lags`. */
export function laggingLedgers(store: EventStore, shopId: string) {
  const base = createLedgers({ store, metrics: createMetrics('webhooks') });
  const lagging = { lags: true, posts: 0 };
  const post: Ledgers['post'] = async (request) => {
    if (!lagging.lags || request.shopId !== shopId) return base.post(request);
    lagging.posts += 1;
    return { outcome: 'undecided', cause: new Error('no answer') };
  };
  const ledgers: Ledgers = Object.assign(Object.create(base) as Ledgers, { post });
  return { ledgers, lagging };
}
