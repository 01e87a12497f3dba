import { setTimeout as delay } from 'node:timers/promises';
import { shops } from '#shared/application/directory/shops.ts';
import type { ShopDecision } from '#shared/domain/shop/decide.ts';
import { shopStream } from '#shared/domain/shop/events.ts';
import { noShop, type Shop, type ShopState } from '#shared/domain/shop/state.ts';
import { announceSetupChange, setupLeaseMs } from '#shared/application/directory/stream.ts';
import { foldStored, type EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { decideAndAppend } from '#shared/application/commands/decide-and-append.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { toMetadata } from '#shared/application/commands/new-events.ts';

type ShopCommand = {
  shopId: string;
  decide(state: ShopState): ShopDecision;
  origin: Origin;
  /** A key that the command issues. */
  apiKey?: { key_id: string; key_hash: string };
};

/**
 * Changes a shop, and returns once the change is in force on every instance (R16.6). It is
 * announced even when nothing had to change: an earlier try may have died between append and
 * announcement.
 * @throws Problem not_found, too_many_keys, too_many_endpoints; not_ready when the outcome is
 * unknown and the command should be repeated
 */
export async function commandShop(
  store: EventStore,
  { shopId, decide, origin, apiKey }: ShopCommand,
): Promise<{ shop: Shop; changed: boolean }> {
  let before: ShopState = noShop;
  const result = await decideAndAppend(
    { store, stream: shopStream(shopId), folding: shops, origin },
    (state) => {
      before = state;
      return decide(state);
    },
  );
  if (result.outcome === 'undecided') throw notDecided(result.cause);
  if (result.outcome === 'refused') throw new Problem(result.refusal);
  const shop = result.state as Shop;
  const announced = await fromStore(
    announceSetupChange(
      store,
      { shop_id: shopId, shop_revision: shop.revision, ...(apiKey && { api_key: apiKey }) },
      toMetadata(origin, 'SetupChanged'),
    ),
  );
  if (announced === 'undecided') throw notDecided();
  // Only a shop that had a key can have been used, and only then can caches be out of date.
  if (!apiKey && keyCount(before) > 0) await delay(setupLeaseMs);
  return { shop, changed: result.decision.events.length > 0 };
}

/** The shop as the log has it. @throws Problem not_found, not_ready */
export async function readShop(store: EventStore, shopId: string): Promise<Shop> {
  const events = await fromStore(store.read(shopStream(shopId)));
  const state = foldStored(shops, events);
  if (state.phase === 'none') throw new Problem('not_found');
  return state;
}

/** The id in a path. @throws Problem not_found for what can't be one */
export function readPathId(text: string | undefined): string {
  if (text === undefined || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text))
    throw new Problem('not_found');
  return text;
}

export function notDecided(cause?: unknown): Problem {
  return new Problem('not_ready', {
    detail: 'it is not known whether this was done: send it again',
    cause,
  });
}

function keyCount(state: ShopState): number {
  return state.phase === 'created' ? state.apiKeys.length : 0;
}
