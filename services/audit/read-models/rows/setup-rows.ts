import type { Route } from '#shared/domain/routing.ts';
import {
  decodeMerchantEvent,
  decodeShopEvent,
  type ShopSettings,
} from '#shared/domain/shop/events.ts';
import { settingCells } from '#shared/domain/shop/settings/columns.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { jsonbText } from './jsonb.ts';
import type { putOwn, Row } from './tables.ts';

type Put = ReturnType<typeof putOwn>;

type Endpoint = {
  url: string;
  enabled: boolean;
  types: readonly string[] | null;
  description: string | null;
  revision: number;
};
/** A shop's webhook endpoints, the oldest first. */
type Endpoints = Map<string, Endpoint>;

/** Whether the event changed them. */
function applyEndpoint(
  endpoints: Endpoints,
  change: { shopId: string; event: ReturnType<typeof decodeShopEvent>; revision: number },
): boolean {
  const { event, shopId } = change;
  if (event.type === 'WebhookConfigured') {
    const { url, enabled, types = null, description = null } = event.data;
    const id = event.data.endpoint_id ?? shopId;
    const revision = endpoints.get(id)?.revision ?? change.revision;
    endpoints.set(id, { url, enabled, types, description, revision });
    return true;
  }
  if (event.type === 'WebhookDisabled') {
    const endpoint = endpoints.get(event.data.endpoint_id ?? shopId);
    if (endpoint) endpoint.enabled = false;
    return endpoint !== undefined;
  }
  return event.type === 'WebhookEndpointDeleted' && endpoints.delete(event.data.endpoint_id);
}

function toEndpointColumns(endpoints: Endpoints) {
  const [first] = endpoints.values();
  return {
    webhook_url: first?.url ?? null,
    webhook_enabled: first?.enabled ?? false,
    webhook_endpoints: jsonbText(Object.fromEntries(endpoints)),
  };
}

/** The rows of merchants and shops. They are few, so they stay in memory until the end. */
export function createSetupRows(put: Put, onlyShop: string | undefined) {
  const merchants = new Map<string, Row>();
  const shops = new Map<string, Row>();
  const routes = new Map<string, Row[]>();
  const endpoints = new Map<string, Endpoints>();
  return {
    merchant: (envelope: EventEnvelope): void => {
      const { merchant_id, name } = decodeMerchantEvent(envelope).data;
      const { revision, position } = envelope.event;
      const row = {
        merchant_id,
        name,
        created_at: envelope.atMs,
        updated_at: envelope.atMs,
        revision,
        position,
      };
      merchants.set(merchant_id, row);
    },
    shop: (shopId: string, envelope: EventEnvelope): void => {
      const event = decodeShopEvent(envelope);
      const { revision, position } = envelope.event;
      const newest = { updated_at: envelope.atMs, revision, position };
      if (event.type === 'ShopCreated') {
        const { shop_id, merchant_id, settings } = event.data;
        const names = {
          shop_id,
          merchant_id,
          ...toSettingColumns(settings),
          ...toEndpointColumns(new Map()),
        };
        endpoints.set(shopId, new Map());
        shops.set(shopId, { ...names, created_at: envelope.atMs, ...newest });
        return;
      }
      const row = shops.get(shopId);
      if (!row) return;
      Object.assign(row, newest);
      if (event.type === 'ShopChanged') Object.assign(row, toSettingColumns(event.data.settings));
      const ofShop = endpoints.get(shopId);
      if (ofShop && applyEndpoint(ofShop, { shopId, event, revision }))
        Object.assign(row, toEndpointColumns(ofShop));
      if (event.type === 'RoutesReplaced') {
        const history = routes.get(shopId) ?? [];
        for (const route of history) route['valid_to'] ??= envelope.atMs;
        routes.set(shopId, [
          ...history,
          ...routeRows(shopId, { routes: event.data.routes, envelope }),
        ]);
      }
    },
    finish: (): void => {
      const merchantId = onlyShop === undefined ? undefined : shops.get(onlyShop)?.['merchant_id'];
      for (const row of merchants.values())
        if (onlyShop === undefined || row['merchant_id'] === merchantId)
          put('merchants', row, Number(row['position']));
      for (const row of shops.values())
        if (onlyShop === undefined || row['shop_id'] === onlyShop)
          put('shops', row, Number(row['position']));
      for (const [shopId, history] of routes)
        if (onlyShop === undefined || shopId === onlyShop)
          for (const row of history) put('route_history', row, Number(row['position']));
    },
  };
}

function routeRows(
  shop_id: string,
  { routes, envelope }: { routes: readonly Route[]; envelope: EventEnvelope },
): Row[] {
  const { revision, position } = envelope.event;
  return routes.map((route, index) => ({
    shop_id,
    revision,
    number: index + 1,
    type: route.type,
    method: route.method,
    currency: route.currency,
    provider: route.provider,
    account: route.account ?? null,
    priority: route.priority,
    requires_receipt: route.requires_receipt,
    min_amount: route.min_amount ?? null,
    max_amount: route.max_amount ?? null,
    daily_count: route.daily_count ?? null,
    daily_amount: route.daily_amount ?? null,
    commission_percent: route.commission.percent,
    commission_fixed: route.commission.fixed,
    settlement_currency: route.conversion?.settlement_currency ?? null,
    fx_source: route.conversion?.fx_source ?? null,
    valid_from: envelope.atMs,
    valid_to: null,
    set_by: envelope.actor,
    position,
  }));
}

const toSettingColumns = (settings: ShopSettings): Row =>
  Object.fromEntries(
    Object.entries(settingCells(settings)).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? jsonbText(value) : value,
    ]),
  );
