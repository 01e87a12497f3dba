import { createPrivateKey, createPublicKey, hash, sign } from 'node:crypto';

/** Signs checkpoints; its id is derived from the public key, so no other key has it. */
export type SigningKey = {
  keyId: string;
  /** The public key in base64url. */
  x: string;
  /** Ed25519, in base64url. */
  sign(text: string): string;
};

/** What comes before the seed in the PKCS #8 form of an Ed25519 key (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key of a seed of 32 bytes in base64 (CHECKPOINT_SIGNING_KEY). */
export function createSigningKey(seed: string): SigningKey {
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, Buffer.from(seed, 'base64')]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  if (x === undefined) throw new Error('an Ed25519 key without a public key');
  return {
    keyId: hash('sha256', Buffer.from(x, 'base64url'), 'hex').slice(0, 16),
    x,
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
  };
}
