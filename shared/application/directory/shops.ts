import { decodeShopEvent, type ShopEvent } from '#shared/domain/shop/events.ts';
import { evolveShop, noShop, type ShopState } from '#shared/domain/shop/state.ts';
import type { StreamFold } from '#shared/platform/event-store/index.ts';

/** How a shop's stream is read. */
export const shops: StreamFold<ShopState, ShopEvent> = {
  initial: noShop,
  decode: decodeShopEvent,
  evolve: (state, event, { created, metadata: { actor, link_issuers: linkIssuers } }) =>
    evolveShop(state, event, { createdIso: created.toISOString(), actor, linkIssuers }),
};
