import { directoryStream, decodeDirectoryEvent } from '#shared/application/directory/stream.ts';
import { announceAgain } from '#shared/application/shops/announce-again.ts';
import { decodeShopEvent } from '#shared/domain/shop/events.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { SweepTask } from '../sweeper.ts';

/**
 * What the log has of a shop and the directory may lack: its revision, and the hashes of new keys
 * by id.
 */
type PendingKeys = { revision: number; keys: Map<string, string> };

type AnnouncerOptions = {
  store: EventStore;
  logger: Logger;
  everyMs?: number;
};

const defaultEveryMs = 30_000;
const pageSize = 1_000;
const shopPrefix = 'shop-';

/**
 * Announces changes whose command died before it could; otherwise a revoked key would work until
 * the shop's next change.
 */
export function missingAnnouncements(options: AnnouncerOptions): SweepTask {
  const { everyMs = defaultEveryMs } = options;
  const pending = new Map<string, PendingKeys>();
  return {
    name: 'announcements of shops’ changes',
    streamPrefix: shopPrefix,
    everyMs,
    collect: (event) => addPending(pending, event),
    isOpen: (stream) => pending.has(stream.slice(shopPrefix.length)),
    sweep: createSweep(options, pending),
  };
}

function addPending(pending: Map<string, PendingKeys>, event: StoredEvent): void {
  const { stream, revision } = event;
  const shopId = stream.slice(shopPrefix.length);
  const change = pending.get(shopId) ?? { revision, keys: new Map<string, string>() };
  change.revision = Math.max(change.revision, revision);
  pending.set(shopId, change);
  const { type, data } = decodeShopEvent(event);
  if (type === 'ApiKeyIssued') change.keys.set(data.key_id, data.key_hash);
}

/** Compares pending changes with the directory and announces those that it lacks. */
function createSweep({ store, logger }: AnnouncerOptions, pending: Map<string, PendingKeys>) {
  const announced = new Map<string, number>();
  const announcedKeys = new Set<string>();
  let nextRevision = 0;

  const readDirectory = async () => {
    for (let full = true; full;) {
      const events = await store.read(directoryStream, {
        fromRevision: nextRevision,
        maxCount: pageSize,
      });
      for (const event of events) {
        nextRevision = event.revision + 1;
        const { type, data } = decodeDirectoryEvent(event);
        if (type !== 'SetupChanged') continue;
        const { shop_id: shopId, shop_revision: revision, api_key: key } = data;
        announced.set(shopId, Math.max(announced.get(shopId) ?? -1, revision));
        if (key) announcedKeys.add(key.key_id);
      }
      full = events.length === pageSize;
    }
  };

  return async () => {
    const snapshot = [...pending].map(([shopId, { revision, keys }]) => ({
      shopId,
      revision,
      keys: [...keys],
    }));
    await readDirectory();
    for (const { shopId, revision, keys } of snapshot) {
      const missing = keys.filter(([keyId]) => !announcedKeys.has(keyId));
      const changes: { api_key?: { key_id: string; key_hash: string } }[] = missing.map(
        ([id, hash]) => ({
          api_key: { key_id: id, key_hash: hash },
        }),
      );
      if (changes.length === 0 && (announced.get(shopId) ?? -1) < revision) changes.push({});
      for (const change of changes) {
        const data = { shop_id: shopId, shop_revision: revision, ...change };
        if ((await announceAgain(store, data)) === 'undecided') return;
        logger.warn(
          { shopId, revision },
          'published a change that an interrupted command had left',
        );
      }
      const now = pending.get(shopId);
      for (const [keyId] of keys) now?.keys.delete(keyId);
      if (now?.revision === revision && now.keys.size === 0) pending.delete(shopId);
    }
  };
}
