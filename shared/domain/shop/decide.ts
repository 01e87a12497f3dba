import { withoutDefault } from '../provider/accounts.ts';
import type { Route } from '../routing.ts';
import type { KeyLimits, ShopEvent } from './events.ts';
import { changeSettings, type SettingsChange } from './settings/derive.ts';
import type { Shop, ShopState, WebhookEndpoint } from './state.ts';

/**
 * Operators' commands on a shop. Pure: ids, secrets and times come with the command. A command that
 * would change nothing adds no event, so that it can be repeated.
 */
export type ShopDecision = { events: ShopEvent[] } | { refusal: ShopRefusal };
/**
 * `not_found`: no such shop, key or endpoint. `too_many_keys`, `too_many_endpoints`: the shop has as
 * many as it may have. `routes_changed`: the routes are not those that the new ones were made from.
 */
type ShopRefusal = 'not_found' | 'too_many_keys' | 'too_many_endpoints' | 'routes_changed';

const nothing: ShopDecision = { events: [] };
const notFound: ShopDecision = { refusal: 'not_found' };

type NewShop = {
  shopId: string;
  merchantId: string;
  operationIdSecret: string;
  settings: SettingsChange & { name: string };
};

export function createShop(state: ShopState, shop: NewShop): ShopDecision {
  if (state.phase !== 'none') throw new Error(`the id of shop ${shop.shopId} is taken`);
  const { shopId, merchantId, operationIdSecret, settings } = shop;
  const data = {
    shop_id: shopId,
    merchant_id: merchantId,
    operation_id_secret: operationIdSecret,
    settings: changeSettings({}, settings),
  };
  return { events: [{ type: 'ShopCreated', data }] };
}

export function changeShop(state: ShopState, change: SettingsChange): ShopDecision {
  if (state.phase === 'none') return notFound;
  const settings = changeSettings(state.settings, change);
  return same(settings, state.settings)
    ? nothing
    : { events: [{ type: 'ShopChanged', data: { settings } }] };
}

const changed = <T>(before: T | undefined, change: T | null | undefined): T | undefined =>
  change === undefined ? before : (change ?? undefined);

type NewKey = { keyId: string; keyHash: string; label: string; hint: string; limits?: KeyLimits };

/** At the same time. */
export const maxKeys = 100;
/**
 * Keys that one shop may ever issue: revoked ones stay in the state, and each event copies them
 * all.
 */
export const maxKeysEver = 10_000;

export function issueApiKey(state: ShopState, key: NewKey): ShopDecision {
  if (state.phase === 'none') return notFound;
  const inForce = state.apiKeys.filter(({ revokedAt }) => revokedAt === undefined);
  if (inForce.length >= maxKeys || state.apiKeys.length >= maxKeysEver)
    return { refusal: 'too_many_keys' };
  const { keyId, keyHash, label, hint, limits = {} } = key;
  const data = { key_id: keyId, key_hash: keyHash, label, hint, ...limits };
  return { events: [{ type: 'ApiKeyIssued', data }] };
}

export function revokeApiKey(state: ShopState, keyId: string): ShopDecision {
  const key =
    state.phase === 'created' ? state.apiKeys.find((each) => each.keyId === keyId) : undefined;
  if (!key) return notFound;
  return key.revokedAt === undefined
    ? { events: [{ type: 'ApiKeyRevoked', data: { key_id: keyId } }] }
    : nothing;
}

/** `made`: whether the new routes were derived from the current ones, if the caller says so. */
export function replaceRoutes(
  state: ShopState,
  routes: Route[],
  made: (from: readonly Route[]) => boolean = () => true,
): ShopDecision {
  if (state.phase === 'none') return notFound;
  const written = routes.map(withoutDefault);
  // True also if an earlier try did it and its answer was lost.
  if (same(written, state.routes.map(withoutDefault))) return nothing;
  if (!made(state.routes)) return { refusal: 'routes_changed' };
  return { events: [{ type: 'RoutesReplaced', data: { routes: written } }] };
}

/** The reasons that are recorded where `enabled: false` is set. */
type DisabledBy = 'operator' | 'merchant';

/**
 * Sets the first endpoint, the one of the admin API; `newSecret` is used when it has none yet,
 * `newEndpointId` when the one with the shop's own id was deleted.
 */
export function configureWebhook(
  state: ShopState,
  request: { url: string; enabled: boolean; newSecret: string; newEndpointId: string },
): ShopDecision {
  if (state.phase === 'none') return notFound;
  const { newSecret, newEndpointId, ...settings } = request;
  const [first] = state.endpoints;
  if (first) return { events: changes(state, first, { settings, by: 'operator', newSecret }) };
  const endpointId = state.deletedEndpointIds.includes(state.shopId) ? newEndpointId : state.shopId;
  const id = idIn(state, endpointId);
  const events: ShopEvent[] = [{ type: 'WebhookConfigured', data: { ...id, ...settings } }];
  if (!settings.enabled)
    events.push({ type: 'WebhookDisabled', data: { ...id, reason: 'operator' } });
  events.push({ type: 'WebhookSecretIssued', data: { ...id, secret: newSecret } });
  return { events };
}

/** At the same time. */
const maxEndpoints = 10;
/** Endpoints that one shop may ever have: the ids of deleted ones stay in the state. */
const maxEndpointsEver = 1_000;

type EndpointSettings = {
  url: string;
  types?: readonly string[] | undefined;
  description?: string | undefined;
};

export function addEndpoint(
  state: ShopState,
  { endpointId, secret, ...settings }: EndpointSettings & { endpointId: string; secret: string },
): ShopDecision {
  if (state.phase === 'none') return notFound;
  const { endpoints, deletedEndpointIds: deleted } = state;
  if (endpoints.length >= maxEndpoints || endpoints.length + deleted.length >= maxEndpointsEver)
    return { refusal: 'too_many_endpoints' };
  const id = { endpoint_id: endpointId };
  return {
    events: [
      { type: 'WebhookConfigured', data: { ...id, enabled: true, ...settingsIn(settings) } },
      { type: 'WebhookSecretIssued', data: { ...id, secret } },
    ],
  };
}

/** What a PATCH names; null clears. */
export type EndpointChange = {
  url?: string | undefined;
  types?: readonly string[] | null | undefined;
  description?: string | null | undefined;
  enabled?: boolean | undefined;
};

export function changeEndpoint(
  state: ShopState,
  {
    endpointId,
    change,
    newSecret,
  }: { endpointId: string; change: EndpointChange; newSecret: string },
): ShopDecision {
  const endpoint = endpointIn(state, endpointId);
  if (!endpoint || state.phase === 'none') return notFound;
  const settings = {
    url: change.url ?? endpoint.url,
    enabled: change.enabled ?? endpoint.enabled,
    types: changed(endpoint.types, change.types),
    description: changed(endpoint.description, change.description),
  };
  return { events: changes(state, endpoint, { settings, by: 'merchant', newSecret }) };
}

export function deleteEndpoint(state: ShopState, endpointId: string): ShopDecision {
  if (!endpointIn(state, endpointId)) return notFound;
  return { events: [{ type: 'WebhookEndpointDeleted', data: { endpoint_id: endpointId } }] };
}

/** How long every attempt must have failed before the merchant is notified (R14.19). */
export const failingAfterMs = 3_600_000;

/**
 * Since when every attempt of an endpoint has failed, as its delivery reports it; undefined: none.
 */
export function noteHealth(
  state: ShopState,
  { endpointId, failingSince }: { endpointId: string; failingSince: string | undefined },
): ShopDecision {
  const endpoint = endpointIn(state, endpointId);
  if (!endpoint?.enabled || state.phase === 'none') return nothing;
  if ((endpoint.failingSince === undefined) === (failingSince === undefined)) return nothing;
  const id = { endpoint_id: endpointId };
  return failingSince === undefined
    ? { events: [{ type: 'WebhookRecovered', data: id }] }
    : { events: [{ type: 'WebhookFailing', data: { ...id, since: failingSince } }] };
}

/** A new signing secret; the one before it signs too until `previousValidUntil` (R14.4). */
export function rotateWebhookSecret(
  state: ShopState,
  request: { endpointId?: string | undefined; newSecret: string; previousValidUntil: string },
): ShopDecision {
  if (state.phase === 'none') return notFound;
  const { newSecret, previousValidUntil } = request;
  const endpointId = request.endpointId ?? state.endpoints[0]?.endpointId;
  if (endpointId === undefined || !endpointIn(state, endpointId)) return notFound;
  const data = { secret: newSecret, previous_valid_until: previousValidUntil };
  const id = idIn(state, endpointId);
  return { events: [{ type: 'WebhookSecretIssued', data: { ...id, ...data } }] };
}

/** The shop's endpoint with this id; without an id the first one. */
export function endpointIn(state: ShopState, endpointId?: string): WebhookEndpoint | undefined {
  if (state.phase === 'none') return undefined;
  if (endpointId === undefined) return state.endpoints[0];
  return state.endpoints.find((each) => each.endpointId === endpointId);
}

/** The events of a change; none where nothing changes. */
function changes(
  state: Shop,
  endpoint: WebhookEndpoint,
  change: {
    settings: EndpointSettings & { enabled: boolean };
    by: DisabledBy;
    newSecret: string;
  },
): ShopEvent[] {
  const { url, enabled, types, description } = { ...endpoint, ...change.settings };
  const id = idIn(state, endpoint.endpointId);
  const before = { ...settingsIn(endpoint), enabled: endpoint.enabled };
  const after = { ...settingsIn({ url, types, description }), enabled };
  const hasSecret = endpoint.secret !== '';
  if (hasSecret && same(before, after)) return [];
  const events: ShopEvent[] = [{ type: 'WebhookConfigured', data: { ...id, ...after } }];
  if (!enabled && endpoint.enabled)
    events.push({ type: 'WebhookDisabled', data: { ...id, reason: change.by } });
  if (!hasSecret)
    events.push({ type: 'WebhookSecretIssued', data: { ...id, secret: change.newSecret } });
  return events;
}

const settingsIn = ({ url, types, description }: EndpointSettings) => ({
  url,
  ...(types !== undefined && { types: [...types] }),
  ...(description !== undefined && { description }),
});

const idIn = ({ shopId }: Shop, endpointId: string) =>
  endpointId === shopId ? {} : { endpoint_id: endpointId };

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
