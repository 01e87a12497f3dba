import { shops } from '#shared/application/directory/shops.ts';
import { announceSetupChange } from '#shared/application/directory/stream.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { handle } from '#shared/application/commands/handle.ts';
import { toMetadata } from '#shared/application/commands/new-events.ts';

/**
 * Disables a shop's webhook because its endpoint answered 410 (R14.11), unless it was disabled or
 * changed meanwhile. `undecided`: it is unknown whether that is in the log; the next 410 tries
 * again.
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
  const stream = shopStream(gone.shopId);
  const result = await handle({ store, stream, folding: shops, origin }, (state) => {
    const webhook = state.phase === 'created' ? state.endpoints[0] : undefined;
    const still = webhook?.enabled === true && webhook.url === gone.url;
    return { events: still ? [disabled] : [] };
  });
  if (result.outcome !== 'done') return 'undecided';
  // Announced even if there was nothing to append: the process that appended it may have died
  // before this.
  const change = { shop_id: gone.shopId, shop_revision: result.state.revision };
  const announced = await announceSetupChange(store, change, toMetadata(origin, 'SetupChanged'));
  return announced === 'announced' ? 'disabled' : 'undecided';
}
