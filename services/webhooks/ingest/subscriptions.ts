import { LRUCache } from 'lru-cache';
import { decodeShopEvent, shopStream } from '#shared/domain/shop/events.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { toEndpoint, type NewMessage, type ExpectedMessage } from '../message.ts';

/**
 * The endpoints of a shop that an event at this position of the log is sent to. They are those that
 * were there, enabled or not, and took its type: both are positions in one log, so every reader
 * decides the same.
 */
export type Subscriptions = {
  endpointsOf(event: { position: bigint; type: string }): string[];
};
/**
 * As of the time of the call, or later. With `until` it is only valid for events up to that
 * position, which often needs no read.
 */
export type ReadSubscriptions = (shopId: string, until?: bigint) => Promise<Subscriptions>;

/** What an endpoint takes from a position on; undefined: all types. */
type Subscription = { from: bigint; types: readonly string[] | undefined };
type CachedShop = {
  revision: number;
  endpoints: Map<string, Subscription[]>;
  /** The shop's events up to this position are in it. */
  knownTo: bigint;
};

const pageSize = 200;
const maxPages = 1_000;
const maxCachedShops = 10_000;

/** Reads the shop's stream, and later only what was appended to it. */
export function createReadSubscriptions(
  store: Pick<EventStore, 'read' | 'followed'>,
): ReadSubscriptions {
  const shops = new LRUCache<string, CachedShop>({ max: maxCachedShops });
  return async (shopId, until) => {
    const cached = shops.get(shopId);
    const shop: CachedShop = cached ?? { revision: -1, endpoints: new Map(), knownTo: 0n };
    shops.set(shopId, shop);
    if (until === undefined) await readOn(store, shopId, shop);
    else if (!isUnchanged(store, { shopId, shop, until })) {
      await readOn(store, shopId, shop);
      if (until > shop.knownTo) shop.knownTo = until;
    }
    return {
      endpointsOf: ({ position, type }) =>
        [...shop.endpoints].flatMap(([id, taking]) => {
          const now = taking.findLast(({ from }) => from < position);
          return now && (now.types?.includes(type) ?? true) ? [id] : [];
        }),
    };
  };
}

/** Whether this process has received all events up to a position, and none is of the shop. */
function isUnchanged(
  store: Pick<EventStore, 'followed'>,
  { shopId, shop, until }: { shopId: string; shop: CachedShop; until: bigint },
): boolean {
  if (until <= shop.knownTo) return true;
  const received = store.followed(shop.knownTo);
  const newest = received.at(-1)?.position ?? 0n;
  const stream = shopStream(shopId);
  if (newest < until || received.some((event) => event.stream === stream)) return false;
  shop.knownTo = newest;
  return true;
}

async function readOn(
  store: Pick<EventStore, 'read'>,
  shopId: string,
  shop: CachedShop,
): Promise<void> {
  for (let page = 0; page < maxPages; page += 1) {
    const fromRevision = shop.revision + 1;
    const events = await store.read(shopStream(shopId), { fromRevision, maxCount: pageSize });
    for (const event of events) {
      // Another call may have read it meanwhile.
      if (event.revision <= shop.revision) continue;
      takeEvent(shop, shopId, event);
      // Only now: an event that can't be decoded must fail the next read too.
      shop.revision = event.revision;
    }
    if (events.length < pageSize) return;
  }
  throw new Error('the stream of a shop has more events than can be read');
}

/** @throws for an event that this version can't decode */
function takeEvent({ endpoints }: CachedShop, shopId: string, event: StoredEvent): void {
  if (event.type !== 'WebhookConfigured' && event.type !== 'WebhookEndpointDeleted') return;
  const take = (id: string, types: readonly string[] | undefined) =>
    endpoints.set(id, [...(endpoints.get(id) ?? []), { from: event.position, types }]);
  const { type, data } = decodeShopEvent(event);
  if (type === 'WebhookConfigured') take(data.endpoint_id ?? shopId, data.types);
  if (type === 'WebhookEndpointDeleted') take(data.endpoint_id, []);
}

/** One message for each endpoint that an event is sent to. */
export const forEndpoints = (
  { message, position, except }: ExpectedMessage,
  subscriptions: Subscriptions,
): NewMessage[] =>
  subscriptions
    .endpointsOf({ position, type: message.type })
    .filter((endpointId) => endpointId !== except)
    .map((endpointId) => toEndpoint(message, endpointId));
