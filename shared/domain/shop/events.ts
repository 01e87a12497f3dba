import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';
import { routeSchema } from '../routing.ts';
import { currencies } from '../currencies.ts';

/**
 * Merchants and shops as operators set them up: streams `merchant-<merchant_id>` and
 * `shop-<shop_id>`.
 */

const id = z.string();
const time = z.iso.datetime();

export const merchantEventSchemas = {
  MerchantCreated: z.object({ merchant_id: id, name: z.string() }),
} as const;

export const shopSettingsSchema = z.object({
  name: z.string(),
  hosted_page: z.boolean(),
  /**
   * How far below zero a payout may bring the balance; a currency that is not named has no limit.
   */
  overdraft_limits: z.partialRecord(z.enum(currencies), z.string()),
  rate_limit: z.object({ per_second: z.int(), burst: z.int() }),
  /**
   * What the hosted page shows to payers: the recipient, a contact, and the way back
   * (`return-url.ts`).
   */
  display_name: z.string().optional(),
  support: z.string().optional(),
  return_url: z.string().optional(),
  /** A file of payouts is confirmed by another member than the one who uploaded it (R24.6). */
  payout_batches_need_second_member: z.boolean().optional(),
});
export type ShopSettings = z.infer<typeof shopSettingsSchema>;

/** Without an id it is the endpoint with the shop's own id, from when a shop had only one. */
const endpoint = { endpoint_id: id.optional() };

/** What a key may be issued for. */
export const keyScopes = ['payments', 'payouts', 'read'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** The limits of a key; without any, it is unlimited. */
const keyLimits = {
  expires_at: time.optional(),
  /** CIDR. */
  allowed_ips: z.array(z.string()).optional(),
  scopes: z.array(z.enum(keyScopes)).optional(),
};
const keyLimitsSchema = z.object(keyLimits);
export type KeyLimits = z.infer<typeof keyLimitsSchema>;

export const shopEventSchemas = {
  ShopCreated: z.object({
    shop_id: id,
    merchant_id: id,
    /**
     * 32 random bytes in hexadecimal: operation ids are made with it. Never changes, never leaves
     * the gateway.
     */
    operation_id_secret: z.string(),
    settings: shopSettingsSchema,
  }),
  ShopChanged: z.object({ settings: shopSettingsSchema }),
  /** Only the key's hash is stored; `hint` is its last four characters. */
  ApiKeyIssued: z.object({
    key_id: id,
    key_hash: z.string(),
    label: z.string(),
    hint: z.string(),
    ...keyLimits,
  }),
  ApiKeyRevoked: z.object({ key_id: id }),
  RoutesReplaced: z.object({ routes: z.array(routeSchema) }),
  /** A webhook endpoint, new or changed; without `types` it gets all. */
  WebhookConfigured: z.object({
    ...endpoint,
    url: z.string(),
    enabled: z.boolean(),
    types: z.array(z.string()).optional(),
    description: z.string().optional(),
  }),
  /** The endpoint answered 410, or was switched off; its messages wait. */
  WebhookDisabled: z.object({ ...endpoint, reason: z.string() }),
  /** A new signing secret; the one before it signs too until `previous_valid_until`. */
  WebhookSecretIssued: z.object({
    ...endpoint,
    secret: z.string(),
    previous_valid_until: time.optional(),
  }),
  /** Every attempt since that time has failed; recorded once that has lasted for an hour. */
  WebhookFailing: z.object({ endpoint_id: id, since: time }),
  WebhookRecovered: z.object({ endpoint_id: id }),
  /** Messages that wait for it are never sent; its id is never used again. */
  WebhookEndpointDeleted: z.object({ endpoint_id: id }),
} as const;

export type ShopEvent = EventOf<typeof shopEventSchemas>;

export const merchantStream = (merchantId: string): string => `merchant-${merchantId}`;
export const shopStream = (shopId: string): string => `shop-${shopId}`;

export const decodeShopEvent = createDecoder(shopEventSchemas, 'shop');
export const decodeMerchantEvent = createDecoder(merchantEventSchemas, 'merchant');
