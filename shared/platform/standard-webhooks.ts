import {
  createHash,
  createHmac,
  createSecretKey,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { LRUCache } from 'lru-cache';

// Signatures as https://www.standardwebhooks.com has them: of webhooks to merchants, and of
// providers' callbacks.

const secretPrefix = 'whsec_';
const minKeyBytes = 24;
/** More than one while a secret is rotated; nobody sends hundreds of them. */
const maxSignatures = 10;

type SignedMessage = {
  id: string;
  /** Seconds since the epoch, as digits. */
  timestamp: string;
  body: string | Uint8Array;
};

/**
 * The key that a secret holds. Node leaves out what is no base64, and an empty key signs anything:
 * what does not come back as it was is refused. @throws when it is none; the text does not show it
 */
export function secretKey(secret: string): Buffer {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : '';
  const key = Buffer.from(text, 'base64');
  if (key.length < minKeyBytes || key.toString('base64') !== text)
    throw new Error(`a webhook secret must be whsec_ and at least ${minKeyBytes} bytes in base64`);
  return key;
}

/**
 * Identifies a secret without revealing it: eight hexadecimal digits of a hash. @throws as
 * `secretKey`
 */
export function secretHint(secret: string): string {
  return createHash('sha256').update(secretKey(secret)).digest('hex').slice(0, 8);
}

/** What a secret signs with. */
type Signer = { key: KeyObject; hint: string };

/**
 * A key that is made anew for each signature costs four times the signature. The oldest make room.
 */
const signers = new LRUCache<string, Signer>({ max: 10_000 });

/** The key and the hint of a secret, made once. @throws as `secretKey` */
export function signerOf(secret: string): Signer {
  const cached = signers.get(secret);
  if (cached) return cached;
  const signer = { key: createSecretKey(secretKey(secret)), hint: secretHint(secret) };
  signers.set(secret, signer);
  return signer;
}

/** `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>`. */
export const signatureOf = (message: SignedMessage, key: KeyObject | Buffer): string =>
  `v1,${digest(message, key).toString('base64')}`;

/** Whether one of the signatures of a header is made with the key. */
export function hasSignature(
  signatures: string,
  message: SignedMessage,
  key: KeyObject | Buffer,
): boolean {
  const expected = digest(message, key);
  return signatures.split(' ', maxSignatures).some((signature) => {
    const sent = Buffer.from(signature.startsWith('v1,') ? signature.slice(3) : '', 'base64');
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
}

function digest({ id, timestamp, body }: SignedMessage, key: KeyObject | Buffer): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`, 'utf8').update(body).digest();
}
