import type { Route } from '../routing.ts';
import type { KeyLimits, ShopEvent, ShopSettings } from './events.ts';

export type ApiKey = {
  keyId: string;
  keyHash: string;
  label: string;
  hint: string;
  limits: KeyLimits;
  createdAt: string;
  revokedAt?: string;
};

export type Webhook = {
  url: string;
  enabled: boolean;
  disabledReason?: string;
  secret: string;
  /**
   * Secrets that also sign until they expire: the overlap of a rotation (R14.4). The newest first.
   */
  previous: readonly { secret: string; validUntil: string }[];
};

/** Whether the key's time has come; `nowIso` is written as the log writes times. */
export const isExpired = ({ expires_at: at }: KeyLimits, nowIso: string): boolean =>
  at !== undefined && nowIso >= at;

/** Secrets that were rotated within the overlap; older ones sign no more. */
const maxPrevious = 4;

export type Shop = {
  phase: 'created';
  revision: number;
  shopId: string;
  merchantId: string;
  operationIdSecret: string;
  settings: ShopSettings;
  apiKeys: readonly ApiKey[];
  routes: readonly Route[];
  webhook?: Webhook;
};

export type ShopState = { phase: 'none'; revision: -1 } | Shop;

export const noShop: ShopState = { phase: 'none', revision: -1 };

/** The shop after one more event; `createdIso` is when the log took it. */
export function evolveShop(state: ShopState, event: ShopEvent, createdIso: string): ShopState {
  const revision = state.revision + 1;
  if (event.type === 'ShopCreated') {
    const { shop_id, merchant_id, operation_id_secret, settings } = event.data;
    return {
      phase: 'created',
      revision,
      shopId: shop_id,
      merchantId: merchant_id,
      operationIdSecret: operation_id_secret,
      settings,
      apiKeys: [],
      routes: [],
    };
  }
  if (state.phase === 'none')
    throw new Error(`a shop begins with ShopCreated, not with ${event.type}`);
  return { ...change(state, event, createdIso), revision };
}

function change(
  state: Shop,
  event: Exclude<ShopEvent, { type: 'ShopCreated' }>,
  createdIso: string,
): Shop {
  switch (event.type) {
    case 'ShopChanged':
      return { ...state, settings: event.data.settings };
    case 'ApiKeyIssued': {
      const { key_id, key_hash, label, hint, ...limits } = event.data;
      const issued = { keyId: key_id, keyHash: key_hash, label, hint, limits };
      const key: ApiKey = { ...issued, createdAt: createdIso };
      return { ...state, apiKeys: [...state.apiKeys, key] };
    }
    case 'ApiKeyRevoked': {
      const index = state.apiKeys.findLastIndex(({ keyId }) => keyId === event.data.key_id);
      const key = state.apiKeys[index];
      return key
        ? { ...state, apiKeys: state.apiKeys.with(index, { ...key, revokedAt: createdIso }) }
        : state;
    }
    case 'RoutesReplaced':
      return { ...state, routes: event.data.routes };
    case 'WebhookConfigured': {
      const { disabledReason: _, ...webhook } = state.webhook ?? { secret: '', previous: [] };
      return { ...state, webhook: { ...webhook, ...event.data } };
    }
    case 'WebhookDisabled':
      return state.webhook
        ? {
            ...state,
            webhook: { ...state.webhook, enabled: false, disabledReason: event.data.reason },
          }
        : state;
    case 'WebhookSecretIssued': {
      const { secret, previous_valid_until: validUntil } = event.data;
      const webhook = state.webhook ?? { url: '', enabled: false, secret: '', previous: [] };
      // Without an overlap it is the first one, or one that ends all others at once.
      const previous =
        validUntil && webhook.secret
          ? [{ secret: webhook.secret, validUntil }, ...webhook.previous].slice(0, maxPrevious)
          : [];
      return { ...state, webhook: { ...webhook, previous, secret } };
    }
  }
}
