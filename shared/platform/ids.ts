import { LRUCache } from 'lru-cache';
import {
  createHmac,
  createSecretKey,
  hash,
  randomBytes,
  randomUUID,
  type KeyObject,
} from 'node:crypto';

/** A random id, for events and anything that must not be predictable. */
export const newId = (): string => randomUUID();

/**
 * The operation's id: UUIDv8 of HMAC-SHA256(the shop's own secret, `merchant_operation_id`). Either
 * identifier leads to the same stream, and it can't be computed outside (R4.9).
 */
export function operationIdFor(shopSecret: Buffer, merchantOperationId: string): string {
  const key = keyOf(shopSecret);
  const bytes = createHmac('sha256', key)
    .update(merchantOperationId, 'utf8')
    .digest()
    .subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const keys = new LRUCache<string, KeyObject>({ max: 10_000 });

/**
 * To make a key of its bytes costs five times the HMAC itself, and a shop's secret never changes.
 */
function keyOf(secret: Buffer): KeyObject {
  const name = secret.toString('latin1');
  let key = keys.get(name);
  if (!key) {
    key = createSecretKey(secret);
    keys.set(name, key);
  }
  return key;
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `gw_` and 40 random base62 characters: about 238 bits. */
export function newApiKey(): string {
  return `gw_${randomBase62(40)}`;
}

/** What is stored of an API key. */
export function hashApiKey(apiKey: string): string {
  return hash('sha256', apiKey, 'hex');
}

/**
 * `adm_` and 40 random base62 characters: as hard to guess as an API key, and not to be mistaken
 * for one.
 */
export function newAdminToken(): string {
  return `adm_${randomBase62(40)}`;
}

/** Whether a text can be a token that `newAdminToken` made: any other text needs no look-up. */
export function isAdminToken(text: string): boolean {
  return /^adm_[0-9A-Za-z]{40}$/.test(text);
}

/** What is stored of an admin token. */
export function hashAdminToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** What a link to the portal for merchants' staff holds: `mbr_` and 40 random base62 characters. */
export function newMemberLink(): string {
  return `mbr_${randomBase62(40)}`;
}

/** What is stored of such a link. */
export function hashMemberLink(link: string): string {
  return hash('sha256', link, 'hex');
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte: above it the first characters would come up more
    // often.
    for (const byte of randomBytes(64))
      if (byte < 248 && text.length < length) text += base62[byte % 62];
  }
  return text;
}

/** A Standard Webhooks secret: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * A value's JSON with the keys in order: two bodies that differ in key order or white space are
 * one.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}

/** SHA-256, in hexadecimal, of the body as a JSON value: what "the same body" means (R4.2). */
export function hashBody(body: unknown): string {
  return hash('sha256', canonicalJson(body), 'hex');
}
