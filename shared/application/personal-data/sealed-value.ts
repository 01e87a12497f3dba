import { createCipheriv, createDecipheriv, createHmac, randomFillSync, type KeyObject } from 'node:crypto';

/** A client's key, with the id that its sealed values name. */
export type PersonalKey = { keyId: string; key: KeyObject };

const version = 'v1';
const cipher = 'aes-256-gcm';
const [nonceBytes, tagBytes] = [12, 16];

/** What a sealed value looks like: version, key, nonce, and the encrypted text with its tag. */
export const sealedPattern = /^v1\.([\w-]{22})\.([\w-]{16})\.([\w-]{22,})$/;

/**
 * Encrypts a text or bytes, bound to what it is about: what is sealed for one operation and field does not open as another's.
 * `about` is no secret.
 */
export function seal(plain: string | Uint8Array, { keyId, key }: PersonalKey, about: string): string {
  const nonce = newNonce();
  const bytes = typeof plain === 'string' ? Buffer.from(plain) : plain;
  return `${version}.${keyId}.${nonce.toString('base64url')}.${encrypt(bytes, { key, nonce, about }).toString('base64url')}`;
}

/** The text again. @throws when it was altered, or is not this key's or not about this */
export function open(sealed: string, key: KeyObject, about: string): string {
  return openBytes(sealed, key, about).toString();
}

/** The bytes again. @throws as `open` */
export function openBytes(sealed: string, key: KeyObject, about: string): Buffer {
  const [, , nonce = '', encrypted = ''] = sealedPattern.exec(sealed) ?? [];
  return decrypt(Buffer.from(encrypted, 'base64url'), {
    key,
    nonce: Buffer.from(nonce, 'base64url'),
    about,
  });
}

/** The key that a value is sealed with. @throws when it is no sealed value */
export function keyIdOf(sealed: string): string {
  const [, keyId] = sealedPattern.exec(sealed) ?? [];
  if (keyId === undefined) throw new Error('not a sealed value');
  return keyId;
}

/** HMAC-SHA256 of a text, bound like a sealed value to what it is about, in hex. `about` has no line break. */
export function hmac(key: KeyObject, about: string, text: string): string {
  return createHmac('sha256', key).update(`${about}\n${text}`, 'utf8').digest('hex');
}

type With = { key: KeyObject; nonce: Buffer; about: string };

/** AES-256-GCM: the encrypted bytes, and the tag of 16 after them. */
export function encrypt(bytes: Uint8Array, { key, nonce, about }: With): Buffer {
  const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(about));
  return Buffer.concat([encryption.update(bytes), encryption.final(), encryption.getAuthTag()]);
}

/** @throws when the bytes, the key, the nonce or `about` is another one */
export function decrypt(bytes: Buffer, { key, nonce, about }: With): Buffer {
  const end = Math.max(0, bytes.length - tagBytes);
  const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  decryption.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(end));
  return Buffer.concat([decryption.update(bytes.subarray(0, end)), decryption.final()]);
}

const pool = Buffer.alloc(nonceBytes * 256);
let used = pool.length;

/** A random nonce. They are drawn many at once: a call for twelve bytes costs as much as one for thousands. */
export function newNonce(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += nonceBytes;
  // A copy: the next filling must not change what is in use.
  return Buffer.from(pool.subarray(used - nonceBytes, used));
}
