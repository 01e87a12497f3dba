import { decodeMerchantEvent, decodeShopEvent } from '#shared/domain/shop/events.ts';
import { settingCells } from '#shared/domain/shop/settings/columns.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { EndpointRow, MerchantRow, ShopRow } from './table.ts';

const newest = (stored: StoredEvent) => ({
  updated_at: stored.created,
  revision: stored.revision,
  position: stored.position.toString(),
});

/** The merchant's row after one more event. @throws for an event that this version does not know */
export function projectMerchant(before: MerchantRow | undefined, stored: StoredEvent): MerchantRow {
  if (before) throw new Error('the merchant was created before');
  const { merchant_id, name } = decodeMerchantEvent(stored).data;
  return { merchant_id, name, created_at: stored.created, ...newest(stored) };
}

/**
 * The shop's row after one more event. @throws for an event that can't follow or that this version
 * does not know
 */
export function projectShop(before: ShopRow | undefined, stored: StoredEvent): ShopRow {
  const event = decodeShopEvent(stored);
  if (event.type === 'ShopCreated') {
    if (before) throw new Error('the shop was created before');
    const { shop_id, merchant_id, settings } = event.data;
    return {
      shop_id,
      merchant_id,
      ...settingCells(settings),
      ...endpointColumns({}),
      created_at: stored.created,
      ...newest(stored),
    };
  }
  if (!before) throw new Error(`a shop begins with ShopCreated, not with ${event.type}`);
  const row: ShopRow = { ...before, ...newest(stored) };
  switch (event.type) {
    case 'ShopChanged':
      return { ...row, ...settingCells(event.data.settings) };
    case 'WebhookConfigured': {
      const { endpoint_id: id = row.shop_id, url, enabled, ...data } = event.data;
      const revision = row.webhook_endpoints[id]?.revision ?? stored.revision;
      const { types = null, description = null } = data;
      const endpoint = { url, enabled, types, description, revision };
      return { ...row, ...endpointColumns({ ...row.webhook_endpoints, [id]: endpoint }) };
    }
    case 'WebhookDisabled': {
      const { endpoint_id: id = row.shop_id } = event.data;
      const endpoint = row.webhook_endpoints[id];
      if (!endpoint) return row;
      const disabled = { ...endpoint, enabled: false };
      return { ...row, ...endpointColumns({ ...row.webhook_endpoints, [id]: disabled }) };
    }
    case 'WebhookEndpointDeleted': {
      const { [event.data.endpoint_id]: _deleted, ...left } = row.webhook_endpoints;
      return { ...row, ...endpointColumns(left) };
    }
    case 'ApiKeyIssued':
    case 'ApiKeyRevoked':
    case 'RoutesReplaced':
    case 'WebhookSecretIssued':
    case 'WebhookFailing':
    case 'WebhookRecovered':
      return row;
  }
}

/** `webhook_url` and `webhook_enabled` are of the oldest. */
function endpointColumns(endpoints: Readonly<Record<string, EndpointRow>>) {
  const [first] = Object.values(endpoints).toSorted((a, b) => a.revision - b.revision);
  return {
    webhook_endpoints: endpoints,
    webhook_url: first?.url ?? null,
    webhook_enabled: first?.enabled ?? false,
  };
}
