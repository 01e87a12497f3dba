import {
  createHash,
  createHmac,
  createSecretKey,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { LRUCache } from 'lru-cache';

// Signatures by https://www.standardwebhooks.com, of webhooks to merchants and of providers'
// callbacks.

const secretPrefix = 'whsec_';
const minKeyBytes = 24;
/** There is more than one during a rotation, but never hundreds. */
const maxSignatures = 10;

type SignedMessage = {
  id: string;
  /** Seconds since the epoch, as digits. */
  timestamp: string;
  body: string | Uint8Array;
};

/**
 * The key of a secret. Node skips invalid base64, and an empty key signs anything, so that text
 * which does not round-trip is refused.
 * @throws for an invalid secret, without showing it
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

/** Creating a key costs four times a signature. The oldest are evicted. */
const signers = new LRUCache<string, Signer>({ max: 10_000 });

/** The key and the hint of a secret, cached. @throws as `secretKey` */
export function cachedSigner(secret: string): Signer {
  const cached = signers.get(secret);
  if (cached) return cached;
  const signer = { key: createSecretKey(secretKey(secret)), hint: secretHint(secret) };
  signers.set(secret, signer);
  return signer;
}

/** `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>`. */
export const signMessage = (message: SignedMessage, key: KeyObject | Buffer): string =>
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
