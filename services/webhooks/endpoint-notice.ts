import { shops } from '#shared/application/directory/shops.ts';
import { endpointIn } from '#shared/domain/shop/decide.ts';
import { decodeShopEvent } from '#shared/domain/shop/events.ts';
import { noShop, type ShopState } from '#shared/domain/shop/state.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { toMessage, type ExpectedMessage } from './message.ts';

/**
 * The expected webhooks of type `endpoint.disabled` of a shop's stream: one for each time that an
 * endpoint was disabled, or had failed for an hour (R14.19). They go to the other endpoints.
 * @throws when the stream can't be understood by this version
 */
export function endpointNotices(events: readonly StoredEvent[]): ExpectedMessage[] {
  const expected: ExpectedMessage[] = [];
  let state: ShopState = noShop;
  for (const stored of events) {
    const event = decodeShopEvent(stored);
    state = shops.evolve(state, event, stored);
    if (state.phase === 'none') continue;
    if (event.type !== 'WebhookDisabled' && event.type !== 'WebhookFailing') continue;
    const endpoint = endpointIn(state, event.data.endpoint_id ?? state.shopId);
    if (!endpoint) continue;
    const { shopId } = state;
    const { endpointId, url, description = null } = endpoint;
    const why =
      event.type === 'WebhookFailing'
        ? { reason: 'failing', failing_since: event.data.since }
        : { reason: event.data.reason, failing_since: null };
    const message = toMessage(stored, {
      shopId,
      operationId: null,
      type: 'endpoint.disabled',
      sequence: 1,
      data: { shop_id: shopId, endpoint: { endpoint_id: endpointId, url, description }, ...why },
    });
    expected.push({ ...message, except: endpointId });
  }
  return expected;
}
