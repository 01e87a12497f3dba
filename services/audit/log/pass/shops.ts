import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import {
  decodeMerchantEvent,
  decodeShopEvent,
  type ShopSettings,
} from '#shared/domain/shop/events.ts';
import {
  createFlag,
  judgeStream,
  type EventEnvelope,
} from '../../report/findings/report-violation.ts';
import type { Report } from '../../report/findings/findings.ts';
import { expectedNotice } from '../operation/message.ts';
import type { Rows } from '../../read-models/rows/record-rows.ts';
import { replaceRoutes, type RouteSets } from './routes.ts';

type Floors = { fromMs: number; limits: Readonly<Record<string, string | undefined>> };

type SecondMember = { fromMs: number; isNeeded: boolean };

type ShopFacts = {
  merchantId: string;
  /** The key object is made once: making one costs more than using it. */
  secret: KeyObject;
  /** Oldest first. */
  floors: Floors[];
  /** Whether files of payouts need a second member; oldest first. */
  secondMember: SecondMember[];
  routes: RouteSets;
  /** Until when each key was valid, in epoch milliseconds. */
  keys: Map<string, number>;
  /** The actors who issued each key, and the issuers of the links that opened their sessions. */
  keyIssuers: Map<string, readonly string[]>;
  endpoints: Endpoints;
};

/** An endpoint's settings from a log position on. `types`: the webhooks that it takes, or all. */
type Endpoint = {
  from: number;
  types: readonly string[] | undefined;
  /** Undefined once it is deleted. */
  url: string | undefined;
  description?: string | undefined;
};
/** By endpoint, the oldest first. */
type Endpoints = Map<string, Endpoint[]>;

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

type ShopsContext = { rows: Rows; report: Report };

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
  if (event.type === 'RoutesReplaced') replaceRoutes(shop.routes, event.data.routes, envelope.atMs);
  const setEndpoint = (id: string, endpoint: Omit<Endpoint, 'from'>) =>
    shop.endpoints.set(id, [
      ...(shop.endpoints.get(id) ?? []),
      { from: envelope.event.position, ...endpoint },
    ]);
  if (event.type === 'WebhookConfigured') {
    const { endpoint_id: id = shopId, types, url, description } = event.data;
    setEndpoint(id, { types, url, description });
  }
  if (event.type === 'WebhookEndpointDeleted')
    setEndpoint(event.data.endpoint_id, { types: [], url: undefined });
  if (event.type === 'ApiKeyIssued') {
    if (shop.keys.has(event.data.key_id)) flag(`key ${event.data.key_id} is issued twice`);
    else shop.keys.set(event.data.key_id, Infinity);
    shop.keyIssuers.set(event.data.key_id, [envelope.actor, ...(envelope.linkIssuers ?? [])]);
  }
  if (event.type === 'ApiKeyRevoked') {
    const endsMs = shop.keys.get(event.data.key_id);
    if (endsMs === undefined) flag(`key ${event.data.key_id} is revoked but was never issued`);
    else shop.keys.set(event.data.key_id, Math.min(endsMs, envelope.atMs));
  }
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
        merchantId: merchant_id,
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

/** A request may use settings for this long after they changed. */
const leaseMs = 1_000;

/**
 * The lowest balance allowed by any settings in force since a payout was admitted; undefined if one
 * of them had no limit.
 */
export function deepestFloor(
  { floors }: ShopFacts,
  { currency, sinceMs }: { currency: string; sinceMs: number },
): string | undefined {
  let deepest: string | undefined = '0.00';
  let any = false;
  for (const [index, { limits }] of floors.entries()) {
    const endedMs = floors[index + 1]?.fromMs ?? Infinity;
    if (endedMs + leaseMs < sinceMs) continue;
    const limit = limits[currency];
    if (limit === undefined) return undefined;
    if (!any || BigInt(limit.replace('.', '')) > BigInt((deepest ?? '0').replace('.', '')))
      deepest = limit;
    any = true;
  }
  return any ? deepest : undefined;
}

/**
 * The id that an operation of this shop must have: UUIDv8 of HMAC-SHA256 (R4.9), computed by the
 * auditor.
 */
export function operationIdOf({ secret }: ShopFacts, merchantOperationId: string): string {
  const hex = createHmac('sha256', secret)
    .update(merchantOperationId, 'utf8')
    .digest('hex')
    .slice(0, 32);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
