import { shops } from '#shared/application/directory/shops.ts';
import { announceSetupChange } from '#shared/application/directory/stream.ts';
import { endpointIn, noteHealth, type ShopDecision } from '#shared/domain/shop/decide.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import type { ShopState } from '#shared/domain/shop/state.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { decideAndAppend } from '#shared/application/commands/decide-and-append.ts';
import { toMetadata } from '#shared/application/commands/new-events.ts';

type Endpoint = { shopId: string; endpointId: string };

/**
 * Disables an endpoint because it answered 410 (R14.11), unless it was disabled or changed
 * meanwhile. `undecided`: it is unknown whether that is in the log; the next 410 tries again.
 */
export function disableEndpoint(
  store: EventStore,
  target: Endpoint & { url: string; messageId: string },
): Promise<'done' | 'undecided'> {
  const { endpointId, shopId } = target;
  const reason = 'the endpoint answered 410 Gone';
  const id = endpointId === shopId ? {} : { endpoint_id: endpointId };
  const disabled: ShopEvent = { type: 'WebhookDisabled', data: { ...id, reason } };
  return changeShop(store, { shopId, causationId: target.messageId }, (state) => {
    const endpoint = endpointIn(state, endpointId);
    const still = endpoint?.enabled === true && endpoint.url === target.url;
    return { events: still ? [disabled] : [] };
  });
}

/**
 * Notes that every attempt of an endpoint has failed for long, or that one succeeded again
 * (R14.19), where that is not noted yet.
 */
export const noteEndpointHealth = (
  store: EventStore,
  { shopId, ...health }: Endpoint & { failingSince: string | undefined },
): Promise<'done' | 'undecided'> =>
  changeShop(store, { shopId }, (state) => noteHealth(state, health));

async function changeShop(
  store: EventStore,
  { shopId, causationId }: { shopId: string; causationId?: string },
  decide: (state: ShopState) => ShopDecision,
): Promise<'done' | 'undecided'> {
  const origin = {
    actor: 'service:webhooks',
    correlationId: newId(),
    ...(causationId !== undefined && { causationId }),
  };
  const result = await decideAndAppend(
    { store, stream: shopStream(shopId), folding: shops, origin },
    decide,
  );
  if (result.outcome !== 'done') return 'undecided';
  // Announced even if there was nothing to append: the process that appended it may have died
  // before this.
  const change = { shop_id: shopId, shop_revision: result.state.revision };
  const announced = await announceSetupChange(store, change, toMetadata(origin, 'SetupChanged'));
  return announced === 'announced' ? 'done' : 'undecided';
}
