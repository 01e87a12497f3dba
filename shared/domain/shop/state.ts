import type { Route } from '../routing.ts';
import type { KeyLimits, ShopEvent, ShopSettings } from './events.ts';

export type ApiKey = {
  keyId: string;
  keyHash: string;
  label: string;
  hint: string;
  limits: KeyLimits;
  createdAt: string;
  /** The actor who issued it, and those behind its session. */
  issuedBy: readonly string[];
  revokedAt?: string;
};

/** Where a shop's webhooks go. */
export type WebhookEndpoint = {
  endpointId: string;
  url: string;
  /** Undefined: all. */
  types?: readonly string[] | undefined;
  description?: string | undefined;
  createdAt: string;
  enabled: boolean;
  disabledReason?: string;
  /** Every attempt since then has failed. */
  failingSince?: string | undefined;
  secret: string;
  /**
   * Secrets that also sign until they expire: the overlap of a rotation (R14.4). The newest first.
   */
  previous: readonly { secret: string; validUntil: string }[];
};

/** Whether the key has expired; `nowIso` has the format of the log's times. */
export const isExpired = ({ expires_at: at }: KeyLimits, nowIso: string): boolean =>
  at !== undefined && nowIso >= at;

/** Whether its files of payouts are confirmed by another member than who uploaded them (R24.6). */
export const needsSecondMember = ({ settings }: Pick<Shop, 'settings'>): boolean =>
  settings.payout_batches_need_second_member === true;

/** Whether payments and payouts of this provider move no real money. */
export const isTestProvider = (provider: string): boolean => provider === 'sandbox';

/** How many routes of the shop lead to the sandbox, which moves no real money. */
export function sandboxShare({ routes }: Pick<Shop, 'routes'>): 'all' | 'some' | 'none' {
  const inSandbox = routes.filter(({ provider }) => isTestProvider(provider)).length;
  if (inSandbox === 0) return 'none';
  return inSandbox === routes.length ? 'all' : 'some';
}

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
  /** The oldest first; the admin API manages the first one. */
  endpoints: readonly WebhookEndpoint[];
  deletedEndpointIds: readonly string[];
};

export type ShopState = { phase: 'none'; revision: -1 } | Shop;

export const noShop: ShopState = { phase: 'none', revision: -1 };

/** `linkIssuers`: the actors behind the session of the member who acted. */
type EventInfo = {
  createdIso: string;
  actor: string;
  linkIssuers?: readonly string[] | undefined;
};

/** The shop after one more event, with its time and actor. */
export function evolveShop(state: ShopState, event: ShopEvent, info: EventInfo): ShopState {
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
      endpoints: [],
      deletedEndpointIds: [],
    };
  }
  if (state.phase === 'none')
    throw new Error(`a shop begins with ShopCreated, not with ${event.type}`);
  return { ...change(state, event, info), revision };
}

function change(
  state: Shop,
  event: Exclude<ShopEvent, { type: 'ShopCreated' }>,
  { createdIso, actor, linkIssuers = [] }: EventInfo,
): Shop {
  switch (event.type) {
    case 'ShopChanged':
      return { ...state, settings: event.data.settings };
    case 'ApiKeyIssued': {
      const { key_id, key_hash, label, hint, ...limits } = event.data;
      const issued = { keyId: key_id, keyHash: key_hash, label, hint, limits };
      const issuedBy = [actor, ...linkIssuers];
      const key: ApiKey = { ...issued, createdAt: createdIso, issuedBy };
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
      const { endpoint_id: _id, ...configured } = event.data;
      return changeEndpoint(state, event.data, createdIso, ({ secret, previous, ...before }) => {
        const { endpointId, createdAt, disabledReason } = before;
        return {
          endpointId,
          createdAt,
          secret,
          previous,
          ...configured,
          ...(!configured.enabled && disabledReason !== undefined && { disabledReason }),
        };
      });
    }
    case 'WebhookDisabled': {
      const disabled = { enabled: false, disabledReason: event.data.reason };
      return withEndpoint(state, event.data, { ...disabled, failingSince: undefined });
    }
    case 'WebhookFailing': {
      const { since: failingSince } = event.data;
      return withEndpoint(state, event.data, { failingSince });
    }
    case 'WebhookRecovered':
      return withEndpoint(state, event.data, { failingSince: undefined });
    case 'WebhookSecretIssued': {
      const { secret, previous_valid_until: validUntil } = event.data;
      return changeEndpoint(state, event.data, createdIso, (before) => {
        // Without an overlap it is the first secret, or ends all others at once.
        const previous =
          validUntil && before.secret
            ? [{ secret: before.secret, validUntil }, ...before.previous].slice(0, maxPrevious)
            : [];
        return { ...before, previous, secret };
      });
    }
    case 'WebhookEndpointDeleted': {
      const { endpoint_id: endpointId } = event.data;
      return {
        ...state,
        endpoints: state.endpoints.filter((each) => each.endpointId !== endpointId),
        deletedEndpointIds: [...state.deletedEndpointIds, endpointId],
      };
    }
  }
}

/** Changes an endpoint, if the shop has it. */
function withEndpoint(
  state: Shop,
  { endpoint_id: endpointId = state.shopId }: { endpoint_id?: string | undefined },
  changed: Partial<WebhookEndpoint>,
): Shop {
  const endpoints = state.endpoints.map((each) =>
    each.endpointId === endpointId ? { ...each, ...changed } : each,
  );
  return { ...state, endpoints };
}

/** Changes an endpoint, or adds it if the shop does not have it. */
function changeEndpoint(
  state: Shop,
  { endpoint_id: endpointId = state.shopId }: { endpoint_id?: string | undefined },
  createdAt: string,
  apply: (before: WebhookEndpoint) => WebhookEndpoint,
): Shop {
  const index = state.endpoints.findIndex((each) => each.endpointId === endpointId);
  const fresh = { url: '', enabled: false, secret: '', previous: [] };
  const changed = apply(state.endpoints[index] ?? { endpointId, createdAt, ...fresh });
  const endpoints =
    index === -1 ? [...state.endpoints, changed] : state.endpoints.with(index, changed);
  return { ...state, endpoints };
}
