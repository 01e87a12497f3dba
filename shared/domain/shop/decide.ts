import { withoutDefault } from '../provider/accounts.ts';
import type { Route } from '../routing.ts';
import type { KeyLimits, ShopEvent, ShopSettings } from './events.ts';
import type { ShopState } from './state.ts';

/**
 * What operators do to a shop. Pure: ids, secrets and times come in with the command. A command
 * that would change nothing gives no event, so that it can be repeated.
 */
export type ShopDecision = { events: ShopEvent[] } | { refusal: ShopRefusal };
/**
 * `not_found`: no such shop, key or webhook. `too_many_keys`: the shop has as many as it may have.
 * `routes_changed`: the routes are not those that the new ones were made from.
 */
type ShopRefusal = 'not_found' | 'too_many_keys' | 'routes_changed';

const nothing: ShopDecision = { events: [] };
const notFound: ShopDecision = { refusal: 'not_found' };

type NewShop = {
  shopId: string;
  merchantId: string;
  operationIdSecret: string;
  settings: ShopSettings;
};

export function createShop(state: ShopState, shop: NewShop): ShopDecision {
  if (state.phase !== 'none') throw new Error(`the id of shop ${shop.shopId} is taken`);
  const { shopId, merchantId, operationIdSecret, settings } = shop;
  const data = {
    shop_id: shopId,
    merchant_id: merchantId,
    operation_id_secret: operationIdSecret,
    settings,
  };
  return { events: [{ type: 'ShopCreated', data }] };
}

/**
 * What a PATCH names; `overdraft_limits` replaces all floors, so that one can be taken away, and
 * null clears.
 */
type SettingsChange = {
  name?: string | undefined;
  hosted_page?: boolean | undefined;
  overdraft_limits?: ShopSettings['overdraft_limits'] | undefined;
  rate_limit?: { [Limit in keyof ShopSettings['rate_limit']]?: number | undefined } | undefined;
  display_name?: string | null | undefined;
  support?: string | null | undefined;
  return_url?: string | null | undefined;
};

export function changeShop(state: ShopState, change: SettingsChange): ShopDecision {
  if (state.phase === 'none') return notFound;
  const before = state.settings;
  const settings: ShopSettings = {
    name: change.name ?? before.name,
    hosted_page: change.hosted_page ?? before.hosted_page,
    overdraft_limits: change.overdraft_limits ?? before.overdraft_limits,
    rate_limit: {
      per_second: change.rate_limit?.per_second ?? before.rate_limit.per_second,
      burst: change.rate_limit?.burst ?? before.rate_limit.burst,
    },
    display_name: changed(before.display_name, change.display_name),
    support: changed(before.support, change.support),
    return_url: changed(before.return_url, change.return_url),
  };
  return same(settings, before)
    ? nothing
    : { events: [{ type: 'ShopChanged', data: { settings } }] };
}

const changed = (before: string | undefined, change: string | null | undefined) =>
  change === undefined ? before : (change ?? undefined);

type NewKey = { keyId: string; keyHash: string; label: string; hint: string; limits?: KeyLimits };

/** At the same time. */
export const maxKeys = 100;
/** That one shop may ever issue: revoked ones are kept, and each event copies them all. */
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

/** `made`: whether the new routes were made from these, if the caller says so. */
export function replaceRoutes(
  state: ShopState,
  routes: Route[],
  made: (from: readonly Route[]) => boolean = () => true,
): ShopDecision {
  if (state.phase === 'none') return notFound;
  const written = routes.map(withoutDefault);
  // Also if an earlier try whose answer was lost did it.
  if (same(written, state.routes.map(withoutDefault))) return nothing;
  if (!made(state.routes)) return { refusal: 'routes_changed' };
  return { events: [{ type: 'RoutesReplaced', data: { routes: written } }] };
}

/** The reason that is recorded for an operator's `enabled: false`. */
const disabledByOperator = 'operator';

/** Sets the endpoint; `newSecret` is used when it has none yet. */
export function configureWebhook(
  state: ShopState,
  { url, enabled, newSecret }: { url: string; enabled: boolean; newSecret: string },
): ShopDecision {
  if (state.phase === 'none') return notFound;
  const { webhook } = state;
  if (webhook && webhook.secret !== '' && webhook.url === url && webhook.enabled === enabled)
    return nothing;
  const events: ShopEvent[] = [{ type: 'WebhookConfigured', data: { url, enabled } }];
  if (!enabled) events.push({ type: 'WebhookDisabled', data: { reason: disabledByOperator } });
  if (!webhook || webhook.secret === '')
    events.push({ type: 'WebhookSecretIssued', data: { secret: newSecret } });
  return { events };
}

/** A new signing secret; the one before it signs too until `previousValidUntil` (R14.4). */
export function rotateWebhookSecret(
  state: ShopState,
  { newSecret, previousValidUntil }: { newSecret: string; previousValidUntil: string },
): ShopDecision {
  if (state.phase === 'none' || !state.webhook) return notFound;
  const data = { secret: newSecret, previous_valid_until: previousValidUntil };
  return { events: [{ type: 'WebhookSecretIssued', data }] };
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
