import { setTimeout as delay } from 'node:timers/promises';
import { decodeTrusted } from '#shared/domain/decode.ts';
import type { KeyLimits } from '#shared/domain/shop/events.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { hashApiKey } from '#shared/application/credentials.ts';
import { createFreshness } from './freshness.ts';
import { providerSetup, type ProviderSetup } from './provider-setup.ts';
import { KnownShops, readDeadlineMs } from './known-shops.ts';
import {
  decodeDirectoryEvent,
  directoryStream,
  setupLeaseMs,
  type DirectoryEvent,
  type SetupChanged,
} from './stream.ts';

/** Twice within a lease, so that requests find it confirmed. */
const pollEveryMs = setupLeaseMs / 2;
const pollWhileUsedMs = 2_000;
const pageSize = 1_000;

type FoundKey = { shop: Shop; keyId: string; limits: KeyLimits };

/** The shops as operators set them up, never older than `setupLeaseMs`. */
export type Directory = {
  /**
   * The shop of a key, with the key's id and limits; undefined for a key that is unknown or
   * revoked.
   */
  byApiKey(apiKey: string): Promise<FoundKey | undefined>;
  /** The same without a read: undefined also where the log has to be read first. */
  cachedKey(apiKey: string): FoundKey | undefined;
  byId(shopId: string): Promise<Shop | undefined>;
  /** The shop of the key with this id, revoked or not. */
  shopIdOfKey(keyId: string): Promise<string | undefined>;
  /** Providers as operators set them up; `now`: read from the log first, for decisions. */
  providers(asOf?: 'within lease' | 'now'): Promise<ProviderSetup>;
  /** Reads everything once; rejects when the store can't be read. */
  ready(): Promise<void>;
  stop(): Promise<void>;
};

export function createDirectory(store: EventStore): Directory {
  const shops = new KnownShops(store);
  let setup = providerSetup.initial;
  /** Reads on to the directory's end. */
  const { confirm, isConfirmed } = createFreshness(async () => {
    for (;;) {
      const events = await store.read(directoryStream, {
        fromRevision: setup.revision + 1,
        maxCount: pageSize,
        deadlineMs: readDeadlineMs,
      });
      for (const event of events) {
        const decoded =
          event.type === 'SetupChanged' ? decodeChange(event) : decodeDirectoryEvent(event);
        setup = providerSetup.evolve(setup, decoded, event);
        if (decoded.type === 'SetupChanged') shops.takeChange(decoded.data);
      }
      if (events.length < pageSize) break;
    }
  });
  const { withinLease, stop } = confirmWhileUsed(confirm);
  const issuedKey = (shop: Shop | undefined, hash: string): FoundKey | undefined => {
    const issued = shop?.apiKeys.find((candidate) => candidate.keyHash === hash);
    return shop && issued && issued.revokedAt === undefined
      ? { shop, keyId: issued.keyId, limits: issued.limits }
      : undefined;
  };

  return {
    byApiKey: async (apiKey) => {
      // Looked up by hash, so that timing reveals nothing about the key.
      const hash = hashApiKey(apiKey);
      const calledAt = performance.now();
      await withinLease();
      // A key that was just issued may not be cached yet; all waiting requests share one read.
      if (!shops.keyOf(hash)) await confirm(calledAt);
      const key = shops.keyOf(hash);
      return key && issuedKey(await shops.current(key.shopId), hash);
    },
    cachedKey: (apiKey) => {
      if (!isConfirmed(performance.now() - setupLeaseMs)) return undefined;
      const hash = hashApiKey(apiKey);
      const key = shops.keyOf(hash);
      return key && issuedKey(shops.cached(key.shopId), hash);
    },
    byId: async (shopId) => {
      const calledAt = performance.now();
      await withinLease();
      if (!shops.has(shopId)) await confirm(calledAt);
      return shops.current(shopId);
    },
    shopIdOfKey: async (keyId) => {
      await confirm(performance.now());
      return shops.shopIdOfKey(keyId);
    },
    providers: async (asOf = 'within lease') => {
      await (asOf === 'now' ? confirm(performance.now()) : withinLease());
      return setup;
    },
    ready: () => confirm(performance.now()),
    stop,
  };
}

/**
 * A change of a shop. One that no service has signed says no more than that the shop has to be read
 * again: it stops this shop alone, at a revision which it has not, or which is not signed either.
 */
function decodeChange(event: StoredEvent): DirectoryEvent {
  const trusted = decodeTrusted(() => decodeDirectoryEvent(event));
  if (trusted) return trusted;
  const { verify: _unverified, ...unverified } = event;
  const { shop_id, shop_revision } = decodeDirectoryEvent(unverified).data as SetupChanged;
  return { type: 'SetupChanged', data: { shop_id, shop_revision } };
}

/**
 * Confirms in advance while there are requests. The first one after a quiet time waits for its own
 * read.
 */
function confirmWhileUsed(confirm: (sinceMs: number) => Promise<void>) {
  const stopped = new AbortController();
  const { signal } = stopped;
  let usedAt = Number.NEGATIVE_INFINITY;
  let polling: Promise<void> | undefined;
  const poll = async () => {
    while (!signal.aborted && performance.now() - usedAt < pollWhileUsedMs) {
      await delay(pollEveryMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await confirm(performance.now()).catch(() => undefined);
    }
    polling = undefined;
  };
  return {
    withinLease: () => {
      usedAt = performance.now();
      polling ??= poll();
      return confirm(usedAt - setupLeaseMs);
    },
    stop: async () => {
      stopped.abort();
      await polling;
    },
  };
}
