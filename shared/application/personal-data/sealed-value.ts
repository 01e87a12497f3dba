import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  type KeyObject,
} from 'node:crypto';

/** A client's key, with the id that its sealed values name. */
export type PersonalKey = { keyId: string; key: KeyObject };

const version = 'v1';
const cipher = 'aes-256-gcm';
const [nonceBytes, tagBytes] = [12, 16];

/** The form of a sealed value: version, key, nonce, and the encrypted text with its tag. */
export const sealedPattern = /^v1\.([\w-]{22})\.([\w-]{16})\.([\w-]{22,})$/;

/**
 * Encrypts a text or bytes, bound to a context: a value of one operation and field can't be
 * decrypted as another's. `about`, the context, is no secret.
 */
export function sealValue(
  plain: string | Uint8Array,
  { keyId, key }: PersonalKey,
  about: string,
): string {
  const nonce = newNonce();
  const bytes = typeof plain === 'string' ? Buffer.from(plain) : plain;
  return `${version}.${keyId}.${nonce.toString('base64url')}.${encrypt(bytes, { key, nonce, about }).toString('base64url')}`;
}

/** Not a sealed value, or one that was altered, or that belongs elsewhere. */
export class DamagedValue extends Error {
  override readonly name = 'DamagedValue';
}

/** Decrypts a text. @throws DamagedValue if it was altered, or has another key or context */
export function open(sealed: string, key: KeyObject, about: string): string {
  try {
    return openBytes(sealed, key, about).toString();
  } catch (cause) {
    throw new DamagedValue('the sealed value is damaged', { cause });
  }
}

/** Decrypts bytes. @throws as `open` does */
export function openBytes(sealed: string, key: KeyObject, about: string): Buffer {
  const [, , nonce = '', encrypted = ''] = sealedPattern.exec(sealed) ?? [];
  return decrypt(Buffer.from(encrypted, 'base64url'), {
    key,
    nonce: Buffer.from(nonce, 'base64url'),
    about,
  });
}

/** The id of the key that a value is sealed with. @throws DamagedValue if it is no sealed value */
export function readKeyId(sealed: string): string {
  const [, keyId] = sealedPattern.exec(sealed) ?? [];
  if (keyId === undefined) throw new DamagedValue('not a sealed value');
  return keyId;
}

/**
 * HMAC-SHA256 of a text in hex, bound to a context like a sealed value. `about` has no line break.
 */
export function hmac(key: KeyObject, about: string, text: string): string {
  return createHmac('sha256', key).update(`${about}\n${text}`, 'utf8').digest('hex');
}

type With = { key: KeyObject; nonce: Buffer; about: string };

/** AES-256-GCM: the encrypted bytes, and the tag of 16 after them. */
export function encrypt(bytes: Uint8Array, { key, nonce, about }: With): Buffer {
  const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(about));
  return Buffer.concat([encryption.update(bytes), encryption.final(), encryption.getAuthTag()]);
}

/** @throws if the bytes, the key, the nonce or `about` differ */
export function decrypt(bytes: Buffer, { key, nonce, about }: With): Buffer {
  const end = Math.max(0, bytes.length - tagBytes);
  const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  decryption.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(end));
  return Buffer.concat([decryption.update(bytes.subarray(0, end)), decryption.final()]);
}

/** A random nonce. */
export const newNonce = (): Buffer => randomBytes(nonceBytes);
