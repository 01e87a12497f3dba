import { shops } from '#shared/application/directory/shops.ts';
import { announceSetupChange } from '#shared/application/directory/stream.ts';
import { endpointIn } from '#shared/domain/shop/decide.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { handle } from '#shared/application/commands/handle.ts';
import { toMetadata } from '#shared/application/commands/new-events.ts';

/**
 * Disables an endpoint because it answered 410 (R14.11), unless it was disabled or changed
 * meanwhile. `undecided`: it is unknown whether that is in the log; the next 410 tries
 * again.
 */
export async function disableEndpoint(
  store: EventStore,
  gone: { shopId: string; endpointId: string; url: string; messageId: string },
): Promise<'disabled' | 'undecided'> {
  const origin = { actor: 'service:webhooks', correlationId: newId(), causationId: gone.messageId };
  const { endpointId, shopId } = gone;
  const reason = 'the endpoint answered 410 Gone';
  const id = endpointId === shopId ? {} : { endpoint_id: endpointId };
  const disabled: ShopEvent = { type: 'WebhookDisabled', data: { ...id, reason } };
  const stream = shopStream(shopId);
  const result = await handle({ store, stream, folding: shops, origin }, (state) => {
    const endpoint = endpointIn(state, endpointId);
    const still = endpoint?.enabled === true && endpoint.url === gone.url;
    return { events: still ? [disabled] : [] };
  });
  if (result.outcome !== 'done') return 'undecided';
  // Announced even if there was nothing to append: the process that appended it may have died
  // before this.
  const change = { shop_id: shopId, shop_revision: result.state.revision };
  const announced = await announceSetupChange(store, change, toMetadata(origin, 'SetupChanged'));
  return announced === 'announced' ? 'disabled' : 'undecided';
}
