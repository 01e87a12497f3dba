import { LRUCache } from 'lru-cache';
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/**
 * The operation's id: UUIDv8 of HMAC-SHA256(the shop's own secret, `merchant_operation_id`). Either
 * identifier leads to the same stream, and it can't be computed outside (R4.9).
 */
export function operationIdFor(shopSecret: Buffer, merchantOperationId: string): string {
  const key = cachedKey(shopSecret);
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
function cachedKey(secret: Buffer): KeyObject {
  const name = secret.toString('latin1');
  let key = keys.get(name);
  if (!key) {
    key = createSecretKey(secret);
    keys.set(name, key);
  }
  return key;
}
