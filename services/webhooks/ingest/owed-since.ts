import { shopStream } from '#shared/domain/shop/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';

/**
 * Since when a shop is owed webhooks: the log position at which a webhook was first configured for
 * it, enabled or not. Earlier events are never sent. Both are positions in one log, so every reader
 * decides the same.
 */
export type DueSince = (shopId: string) => Promise<bigint | undefined>;

const pageSize = 200;
const maxPages = 1_000;
const maxKnownShops = 100_000;

/** Reads it from the shop's stream. Once there is a position it never changes, so it is cached. */
export function createDueSince(store: EventStore): DueSince {
  const known = new Map<string, bigint>();
  return async (shopId) => {
    const position = known.get(shopId) ?? (await firstConfigured(store, shopId));
    if (position !== undefined) {
      if (known.size >= maxKnownShops) known.clear();
      known.set(shopId, position);
    }
    return position;
  };
}

async function firstConfigured(store: EventStore, shopId: string): Promise<bigint | undefined> {
  for (let page = 0; page < maxPages; page += 1) {
    const fromRevision = page * pageSize;
    const events = await store.read(shopStream(shopId), { fromRevision, maxCount: pageSize });
    const found = events.find(({ type }) => type === 'WebhookConfigured');
    if (found) return found.position;
    if (events.length < pageSize) return undefined;
  }
  throw new Error('a shop has more set-up than can be read');
}
