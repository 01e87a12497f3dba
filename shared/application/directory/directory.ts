import { setTimeout as delay } from 'node:timers/promises';
import { decodeShopEvent, shopStream } from '#shared/domain/shop/events.ts';
import { evolveShop, noShop, type Shop, type ShopState } from '#shared/domain/shop/state.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { hashApiKey } from '#shared/platform/ids.ts';
import { createFreshness } from './freshness.ts';
import { decodeDirectoryEvent, directoryStream, setupLeaseMs } from './stream.ts';
import { providerSetup, type ProviderSetup } from './provider-setup.ts';

/** Twice within a lease: who asks then finds it confirmed. */
const pollEveryMs = setupLeaseMs / 2;
const pollWhileUsedMs = 2_000;
const pageSize = 1_000;
/** Every request waits for it: who can't be authenticated by then is told to come back. */
const readDeadlineMs = 3_000;

type Entry = { state: ShopState; wantedRevision: number; loading?: Promise<Shop | undefined> };

/** The shops as operators set them up, never older than `setupLeaseMs`. */
export type Directory = {
  /** The shop that a key is bound to, with the key's id; nothing for a key that is unknown or revoked. */
  byApiKey(apiKey: string): Promise<{ shop: Shop; keyId: string } | undefined>;
  byId(shopId: string): Promise<Shop | undefined>;
  /** The shop that has a key of this id, revoked or not. */
  shopIdOfKey(keyId: string): Promise<string | undefined>;
  /** What operators set up of providers; `now`: as the log has it, for who decides on it. */
  providers(asOf?: 'within lease' | 'now'): Promise<ProviderSetup>;
  /** Reads all that is known so far; rejects when the store can't be read. */
  ready(): Promise<void>;
  stop(): Promise<void>;
};

export function createDirectory(store: EventStore): Directory {
  const shops = new Map<string, Entry>();
  const keysByHash = new Map<string, { keyId: string; shopId: string }>();
  const shopIdsByKeyId = new Map<string, string>();
  const stopped = new AbortController();
  let providers = providerSetup.initial;

  /** Reads on to the directory's end. */
  const { confirm } = createFreshness(async () => {
    for (;;) {
      const events = await store.read(directoryStream, {
        fromRevision: providers.revision + 1,
        maxCount: pageSize,
        deadlineMs: readDeadlineMs,
      });
      for (const event of events) {
        const decoded = decodeDirectoryEvent(event);
        providers = providerSetup.evolve(providers, decoded, event);
        if (decoded.type !== 'SetupChanged') continue;
        const change = decoded.data;
        const entry = shops.get(change.shop_id) ?? { state: noShop, wantedRevision: -1 };
        entry.wantedRevision = Math.max(entry.wantedRevision, change.shop_revision);
        shops.set(change.shop_id, entry);
        if (change.api_key) {
          keysByHash.set(change.api_key.key_hash, { keyId: change.api_key.key_id, shopId: change.shop_id });
          shopIdsByKeyId.set(change.api_key.key_id, change.shop_id);
        }
      }
      if (events.length < pageSize) break;
    }
  });

  let usedAt = Number.NEGATIVE_INFINITY;
  let polling: Promise<void> | undefined;
  /** Ahead of requests while there are any: the first after a quiet time looks by itself. */
  const pollWhileUsed = async () => {
    while (!stopped.signal.aborted && performance.now() - usedAt < pollWhileUsedMs) {
      await delay(pollEveryMs, undefined, { signal: stopped.signal }).catch(() => undefined);
      if (!stopped.signal.aborted) await confirm(performance.now()).catch(() => undefined);
    }
    polling = undefined;
  };
  const withinLease = () => {
    usedAt = performance.now();
    polling ??= pollWhileUsed();
    return confirm(usedAt - setupLeaseMs);
  };

  const load = async (shopId: string, entry: Entry): Promise<Shop | undefined> => {
    for (let round = 0; entry.state.revision < entry.wantedRevision && round < 20; round += 1) {
      if (round > 0) await delay(10 * round);
      const events = await store.read(shopStream(shopId), {
        fromRevision: entry.state.revision + 1,
        deadlineMs: readDeadlineMs,
      });
      for (const event of events) {
        entry.state = evolveShop(entry.state, decodeShopEvent(event), event.created.toISOString());
      }
    }
    // Better no answer than a shop as it was before a key was revoked.
    if (entry.state.revision < entry.wantedRevision)
      throw new Error(`shop ${shopId} is behind the directory`);
    return entry.state.phase === 'created' ? entry.state : undefined;
  };

  const current = async (shopId: string): Promise<Shop | undefined> => {
    const entry = shops.get(shopId);
    if (!entry) return undefined;
    if (entry.state.revision >= entry.wantedRevision && entry.state.phase === 'created') return entry.state;
    entry.loading ??= load(shopId, entry).finally(() => delete entry.loading);
    return entry.loading;
  };

  return {
    byApiKey: async (apiKey) => {
      // Looked up by hash: what a comparison's time could tell is nothing about the key.
      const hash = hashApiKey(apiKey);
      const calledAt = performance.now();
      await withinLease();
      // A key that was issued a moment ago may not have been seen yet; all who wait share one look.
      if (!keysByHash.has(hash)) await confirm(calledAt);
      const key = keysByHash.get(hash);
      const shop = key && (await current(key.shopId));
      const issued = shop?.apiKeys.find((candidate) => candidate.keyHash === hash);
      return shop && issued && issued.revokedAt === undefined ? { shop, keyId: issued.keyId } : undefined;
    },
    byId: async (shopId) => {
      const calledAt = performance.now();
      await withinLease();
      if (!shops.has(shopId)) await confirm(calledAt);
      return current(shopId);
    },
    shopIdOfKey: async (keyId) => {
      await confirm(performance.now());
      return shopIdsByKeyId.get(keyId);
    },
    providers: async (asOf = 'within lease') => {
      await (asOf === 'now' ? confirm(performance.now()) : withinLease());
      return providers;
    },
    ready: () => confirm(performance.now()),
    stop: async () => {
      stopped.abort();
      await polling;
    },
  };
}
