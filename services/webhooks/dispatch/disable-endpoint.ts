import { announceSetupChange } from '#shared/directory/stream.ts';
import { decodeShopEvent, shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import { evolveShop, noShop, type ShopState } from '#shared/domain/shop/state.ts';
import { handleCommand, type EventStore } from '#shared/event-store/index.ts';
import { newId } from '#shared/ids.ts';
import { toMetadata, toNewEvents } from '#shared/operations/streams.ts';

/**
 * Disables a shop's webhook because its endpoint answered 410 (R14.11), unless it was disabled or pointed elsewhere
 * meanwhile. `undecided`: it is not known whether that is in the log; the next 410 tries again.
 */
export async function disableEndpoint(
  store: EventStore,
  gone: { shopId: string; url: string; messageId: string },
): Promise<'disabled' | 'undecided'> {
  const origin = { actor: 'service:webhooks', correlationId: newId(), causationId: gone.messageId };
  const disabled: ShopEvent = {
    type: 'WebhookDisabled',
    data: { reason: 'the endpoint answered 410 Gone' },
  };
  const result = await handleCommand<ShopState>({
    store,
    stream: shopStream(gone.shopId),
    state: noShop,
    evolve: (state, event) => evolveShop(state, decodeShopEvent(event), event.created.toISOString()),
    decide: (state) => {
      const webhook = state.phase === 'created' ? state.webhook : undefined;
      const still = webhook?.enabled === true && webhook.url === gone.url;
      return { events: still ? toNewEvents([disabled], origin) : [] };
    },
  });
  if (result.outcome !== 'done') return 'undecided';
  // Announced even when there was nothing to append: whoever appended it may have died before this.
  const change = { shop_id: gone.shopId, shop_revision: result.state.revision };
  const announced = await announceSetupChange(store, change, toMetadata(origin, 'SetupChanged'));
  return announced === 'announced' ? 'disabled' : 'undecided';
}
