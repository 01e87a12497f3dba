import { setTimeout as delay } from 'node:timers/promises';
import { shopStream } from '#shared/domain/shop/events.ts';
import { noShop, type Shop, type ShopState } from '#shared/domain/shop/state.ts';
import { foldStored, type EventStore } from '#shared/platform/event-store/index.ts';
import { shops } from './shops.ts';
import type { SetupChanged } from './stream.ts';

/** Every request waits for it; one that can't be authenticated by then gets 503. */
export const readDeadlineMs = 3_000;
const maxRounds = 20;

type Entry = { state: ShopState; wantedRevision: number; loading?: Promise<Shop | undefined> };
type Key = { keyId: string; shopId: string };

/**
 * The shops that the directory names, each folded from its own stream up to the revision in the
 * directory.
 */
export class KnownShops {
  readonly #store: Pick<EventStore, 'read'>;
  readonly #shops = new Map<string, Entry>();
  readonly #keysByHash = new Map<string, Key>();
  readonly #shopIdsByKeyId = new Map<string, string>();

  constructor(store: Pick<EventStore, 'read'>) {
    this.#store = store;
  }

  /** From now on the shop is not returned before it has reached the revision in the directory. */
  takeChange({ shop_id: shopId, shop_revision: revision, api_key: key }: SetupChanged): void {
    const entry = this.#shops.get(shopId) ?? { state: noShop, wantedRevision: -1 };
    entry.wantedRevision = Math.max(entry.wantedRevision, revision);
    this.#shops.set(shopId, entry);
    // A key is random, so that one which comes again for another shop is made up.
    if (!key || this.#keysByHash.has(key.key_hash)) return;
    this.#keysByHash.set(key.key_hash, { keyId: key.key_id, shopId });
    this.#shopIdsByKeyId.set(key.key_id, shopId);
  }

  has(shopId: string): boolean {
    return this.#shops.has(shopId);
  }

  keyOf(keyHash: string): Key | undefined {
    return this.#keysByHash.get(keyHash);
  }

  shopIdOfKey(keyId: string): string | undefined {
    return this.#shopIdsByKeyId.get(keyId);
  }

  /** The shop if it has been read up to the revision in the directory. */
  cached(shopId: string): Shop | undefined {
    const entry = this.#shops.get(shopId);
    return entry && entry.state.revision >= entry.wantedRevision && entry.state.phase === 'created'
      ? entry.state
      : undefined;
  }

  async current(shopId: string): Promise<Shop | undefined> {
    const cached = this.cached(shopId);
    if (cached) return cached;
    const entry = this.#shops.get(shopId);
    if (!entry) return undefined;
    entry.loading ??= this.#load(shopId, entry).finally(() => delete entry.loading);
    return entry.loading;
  }

  async #load(shopId: string, entry: Entry): Promise<Shop | undefined> {
    for (
      let round = 0;
      entry.state.revision < entry.wantedRevision && round < maxRounds;
      round += 1
    ) {
      if (round > 0) await delay(10 * round);
      const events = await this.#store.read(shopStream(shopId), {
        fromRevision: entry.state.revision + 1,
        deadlineMs: readDeadlineMs,
      });
      entry.state = foldStored(shops, events, entry.state);
    }
    // Rather no answer than a shop as of before a key was revoked.
    if (entry.state.revision < entry.wantedRevision)
      throw new Error(`shop ${shopId} is behind the directory`);
    return entry.state.phase === 'created' ? entry.state : undefined;
  }
}
