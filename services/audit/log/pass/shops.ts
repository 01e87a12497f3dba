import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Role } from '#shared/domain/operator/events.ts';
import {
  decodeMerchantEvent,
  decodeShopEvent,
  type KeyScope,
  type ShopSettings,
} from '#shared/domain/shop/events.ts';
import {
  createFlag,
  judgeStream,
  type EventEnvelope,
} from '../../report/findings/report-violation.ts';
import type { Report } from '../../report/findings/findings.ts';
import type { Authority } from '../../authority/authority.ts';
import { graceMs } from '../../authority/commands.ts';
import { parseExactMinor } from '../operation/exact-arithmetic.ts';
import { expectedNotice } from '../operation/message.ts';
import type { Rows } from '../../read-models/rows/record-rows.ts';
import { applyRoutesReplaced, type RouteSets } from './routes.ts';
import { whyNotChanged, whyNotRoutes, whyNotSettings } from './settings.ts';

type Floors = { fromMs: number; limits: Readonly<Record<string, string | undefined>> };

type SecondMember = { fromMs: number; isNeeded: boolean };

/** `endsMs`: in epoch milliseconds. `scopes`: undefined for a key that may do everything. */
type KeyFacts = {
  hash: string;
  endsMs: number;
  endsBy: 'expired' | 'was revoked';
  scopes: readonly KeyScope[] | undefined;
};

type ShopFacts = {
  /** Of its newest event. */
  revision: number;
  merchantId: string;
  settings: ShopSettings;
  /** The key object is made once: making one costs more than using it. */
  secret: KeyObject;
  /** Oldest first. */
  floors: Floors[];
  /** Whether files of payouts need a second member; oldest first. */
  secondMember: SecondMember[];
  routes: RouteSets;
  keys: Map<string, KeyFacts>;
  /** The actors who issued each key, and the issuers of the links that opened their sessions. */
  keyIssuers: Map<string, readonly string[]>;
  endpoints: Map<string, readonly Endpoint[]>;
};

/** An endpoint's settings from a log position on. `types`: the webhooks that it takes, or all. */
type Endpoint = {
  from: number;
  fromMs: number;
  types: readonly string[] | undefined;
  /** Undefined once it is deleted. */
  url: string | undefined;
  description?: string | undefined;
  enabled: boolean;
};
/** By endpoint, the oldest first. */
export type Endpoints = ReadonlyMap<string, readonly Endpoint[]>;

/** The endpoints that an event at this position is sent to, whether or not they are enabled. */
export function endpointsTaking(
  endpoints: Endpoints,
  { type, position }: { type: string; position: number },
): string[] {
  const ids: string[] = [];
  for (const [id, settings] of endpoints) {
    const setting = settings.findLast(({ from }) => from < position);
    if (setting && (setting.types === undefined || setting.types.includes(type))) ids.push(id);
  }
  return ids;
}

type ShopsContext = { rows: Rows; report: Report; authority: Pick<Authority, 'hasRole'> };

export type Shops = ReturnType<typeof createShops>;

const merchantPrefix = 'merchant-';
const shopPrefix = 'shop-';

/** Applies the parts of a shop's change that other rules need. */
function applyChange(
  shop: ShopFacts,
  change: {
    shopId: string;
    event: ReturnType<typeof decodeShopEvent>;
    envelope: EventEnvelope;
    flag(message: string): void;
  },
): void {
  const { shopId, event, envelope, flag } = change;
  if (event.type === 'ShopChanged') {
    shop.floors.push({ fromMs: envelope.atMs, limits: event.data.settings.overdraft_limits });
    shop.secondMember.push(secondMemberFrom(envelope.atMs, event.data.settings));
  }
  if (event.type === 'RoutesReplaced')
    applyRoutesReplaced(shop.routes, event.data.routes, envelope.atMs);
  const wrongEndpoint = whyNotEndpoint(shop.endpoints, { shopId, event });
  if (wrongEndpoint !== undefined) flag(wrongEndpoint);
  const setEndpoint = (id: string, endpoint: Omit<Endpoint, 'from' | 'fromMs'>) =>
    shop.endpoints.set(id, [
      ...(shop.endpoints.get(id) ?? []),
      { ...endpoint, from: envelope.event.position, fromMs: envelope.atMs },
    ]);
  if (event.type === 'WebhookConfigured') {
    const { endpoint_id: id = shopId, types, url, description, enabled } = event.data;
    setEndpoint(id, { types, url, description, enabled });
  }
  if (event.type === 'WebhookEndpointDeleted')
    setEndpoint(event.data.endpoint_id, { types: [], url: undefined, enabled: false });
  if (event.type === 'WebhookDisabled') {
    const { endpoint_id: id = shopId } = event.data;
    const setting = shop.endpoints.get(id)?.at(-1);
    if (setting) setEndpoint(id, { ...setting, enabled: false });
  }
  if (event.type === 'ApiKeyIssued') {
    const { key_id: id, key_hash: hash, expires_at: expiresAt, scopes } = event.data;
    const endsMs = expiresAt === undefined ? Infinity : Date.parse(expiresAt);
    if (shop.keys.has(id)) flag(`key ${id} is issued twice`);
    else shop.keys.set(id, { hash, endsMs, endsBy: 'expired', scopes });
    shop.keyIssuers.set(id, [envelope.actor, ...(envelope.linkIssuers ?? [])]);
  }
  if (event.type === 'ApiKeyRevoked') {
    const key = shop.keys.get(event.data.key_id);
    if (!key) flag(`key ${event.data.key_id} is revoked but was never issued`);
    else if (envelope.atMs < key.endsMs)
      Object.assign(key, { endsMs: envelope.atMs, endsBy: 'was revoked' });
  }
}

function whyNotSet({ type, data }: ReturnType<typeof decodeShopEvent>): string | undefined {
  if (type === 'ShopCreated' || type === 'ShopChanged') return whyNotSettings(data.settings);
  return type === 'RoutesReplaced' ? whyNotRoutes(data.routes) : undefined;
}

/** Why an event can't be of its endpoint, which is configured first, and not once it is deleted. */
function whyNotEndpoint(
  endpoints: Endpoints,
  { shopId, event }: { shopId: string; event: ReturnType<typeof decodeShopEvent> },
): string | undefined {
  if (!event.type.startsWith('Webhook')) return undefined;
  const { endpoint_id: id = shopId } = event.data as { endpoint_id?: string };
  const settings = endpoints.get(id) ?? [];
  const [first, last] = [settings[0], settings.at(-1)];
  if (last && last.url === undefined) return `${event.type} of endpoint ${id}, which was deleted`;
  if (event.type === 'WebhookConfigured') return undefined;
  if (!first) return `${event.type} of endpoint ${id}, which is not there`;
  return event.type === 'WebhookFailing' && Date.parse(event.data.since) < first.fromMs - graceMs
    ? `endpoint ${id} fails since ${event.data.since}, before it was there`
    : undefined;
}

const secondMemberFrom = (
  fromMs: number,
  { payout_batches_need_second_member: isNeeded = false }: ShopSettings,
): SecondMember => ({ fromMs, isNeeded });

/** Whether files of payouts needed a second member during the whole of a period. */
export const neededSecondMember = (
  { secondMember }: ShopFacts,
  { from, to }: { from: number; to: number },
): boolean =>
  secondMember.every(
    ({ fromMs, isNeeded }, index) =>
      isNeeded || fromMs > to || (secondMember[index + 1]?.fromMs ?? Infinity) < from,
  );

/** Expects the webhook to the other endpoints about one that is disabled or failing (R14.19). */
function expectNotices(
  { rows }: ShopsContext,
  notice: {
    shopId: string;
    endpoints: Endpoints;
    event: ReturnType<typeof decodeShopEvent>;
    envelope: EventEnvelope;
  },
): void {
  const { shopId, endpoints, event, envelope } = notice;
  if (event.type !== 'WebhookDisabled' && event.type !== 'WebhookFailing') return;
  const { endpoint_id: id = shopId } = event.data;
  const { url, description = null } = endpoints.get(id)?.at(-1) ?? {};
  if (url === undefined) return;
  const { position } = envelope.event;
  const taking = endpointsTaking(endpoints, { type: 'endpoint.disabled', position });
  const endpointIds = taking.filter((each) => each !== id);
  if (endpointIds.length === 0) return;
  const why =
    event.type === 'WebhookFailing'
      ? { reason: 'failing', failing_since: event.data.since }
      : { reason: event.data.reason, failing_since: null };
  const message = () =>
    expectedNotice(
      { shop_id: shopId, endpoint: { endpoint_id: id, url, description }, ...why },
      { id: envelope.event.id, atMs: envelope.atMs },
    );
  rows.message?.(shopId, envelope, { endpointIds, message });
}

/** The set-up of shops, as far as other rules need it. One record per shop. */
export function createShops() {
  const merchants = new Set<string>();
  const shops = new Map<string, ShopFacts>();

  const applyMerchant = (envelope: EventEnvelope, context: ShopsContext) => {
    const { merchant_id: id } = decodeMerchantEvent(envelope).data;
    judgeStream(context, envelope, `${merchantPrefix}${id}`);
    if (merchants.has(id))
      createFlag(context, envelope)('setup.order', `merchant ${id} is created twice`);
    merchants.add(id);
    context.rows.merchant?.(envelope);
  };

  const applyShop = (envelope: EventEnvelope, context: ShopsContext) => {
    const shopId = envelope.event.stream.slice(shopPrefix.length);
    const event = decodeShopEvent(envelope);
    const report = createFlag(context, envelope, shopId);
    const flag = (message: string) => report('setup.order', message);
    let shop = shops.get(shopId);
    if (event.type === 'ShopCreated') {
      const { shop_id, merchant_id, operation_id_secret, settings } = event.data;
      judgeStream(context, envelope, `${shopPrefix}${shop_id}`, shopId);
      if (shop) flag(`shop ${shopId} is created twice`);
      if (!merchants.has(merchant_id))
        flag(`shop ${shopId} is of merchant ${merchant_id}, which does not exist`);
      shop ??= {
        revision: envelope.event.revision,
        merchantId: merchant_id,
        settings,
        secret: createSecretKey(Buffer.from(operation_id_secret, 'hex')),
        floors: [{ fromMs: envelope.atMs, limits: settings.overdraft_limits }],
        secondMember: [secondMemberFrom(envelope.atMs, settings)],
        routes: [],
        keys: new Map(),
        keyIssuers: new Map(),
        endpoints: new Map(),
      };
      shops.set(shopId, shop);
    } else if (!shop) return flag(`${event.type} of a shop that is not there`);
    shop.revision = envelope.event.revision;
    report('setup.settings', whyNotSet(event));
    if (event.type === 'ShopChanged') {
      const change = { before: shop.settings, after: event.data.settings };
      const hasRole = (roles: readonly Role[]) => context.authority.hasRole(envelope, roles);
      report('authority.role', whyNotChanged(change, hasRole));
      shop.settings = change.after;
    }
    applyChange(shop, { shopId, event, envelope, flag });
    expectNotices(context, { shopId, endpoints: shop.endpoints, event, envelope });
    context.rows.shop?.(shopId, envelope);
  };

  return {
    take: (envelope: EventEnvelope, context: ShopsContext): void =>
      envelope.event.stream.startsWith(merchantPrefix)
        ? applyMerchant(envelope, context)
        : applyShop(envelope, context),
    find: (shopId: string) => shops.get(shopId),
    merchantOf: (shopId: string) => shops.get(shopId)?.merchantId,
  };
}

/**
 * The lowest balance allowed by any settings in force since a payout was admitted; undefined if one
 * of them had no limit.
 */
export function deepestFloor(
  shop: ShopFacts,
  of: { currency: string; sinceMs: number },
): string | undefined {
  const limits = limitsSince(shop, of);
  if (limits.some((limit) => limit === undefined)) return undefined;
  return (limits as string[]).reduce<string | undefined>(
    (deepest, limit) =>
      deepest === undefined || parseExactMinor(limit) > parseExactMinor(deepest) ? limit : deepest,
    undefined,
  );
}

/**
 * The overdraft limits in force since then, or shortly before: a create uses the settings that it
 * read first. Undefined for settings without a limit.
 */
export function limitsSince(
  { floors }: Pick<ShopFacts, 'floors'>,
  { currency, sinceMs }: { currency: string; sinceMs: number },
): (string | undefined)[] {
  const inForce = floors.filter(
    (_, index) => (floors[index + 1]?.fromMs ?? Infinity) + graceMs >= sinceMs,
  );
  return inForce.map(({ limits }) => limits[currency]);
}

/**
 * The id that an operation of this shop must have: UUIDv8 of HMAC-SHA256 (R4.9), computed by the
 * auditor.
 */
export function deriveOperationId({ secret }: ShopFacts, merchantOperationId: string): string {
  const hex = createHmac('sha256', secret)
    .update(merchantOperationId, 'utf8')
    .digest('hex')
    .slice(0, 32);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Why a shop is not of the merchant that an event names. */
export const whyNotItsMerchant = (
  { merchantId }: Pick<ShopFacts, 'merchantId'>,
  { shop_id: shopId, merchant_id: named }: { shop_id: string; merchant_id: string },
): string | undefined =>
  named === merchantId ? undefined : `shop ${shopId} is of merchant ${merchantId}, not ${named}`;
