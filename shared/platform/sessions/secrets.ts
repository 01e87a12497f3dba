import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** All secrets of a session are derived from its cookie; the database has only its hash. */
const derive = (secret: string, label: string): Buffer =>
  createHmac('sha256', secret).update(label).digest();

export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Whether a cookie can hold a secret: anyone may send one, and others need no query. */
export const isSessionSecret = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** Looked up by hash, so that timing reveals nothing about the secret. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

/** The token in each form of the session, which another site can't know. */
export const deriveFormToken = (secret: string): string =>
  derive(secret, 'form').toString('base64url');

/** Proves that the session was opened with the credential: it is derived from both. */
export const deriveProof = (secret: string, tokenHash: string): Buffer =>
  derive(secret, `token:${tokenHash}`);

export const isProof = (proof: Buffer, secret: string, tokenHash: string): boolean => {
  const expected = deriveProof(secret, tokenHash);
  return proof.length === expected.length && timingSafeEqual(proof, expected);
};

const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a notice for the holder of the cookie: it may show a key, which is stored nowhere in
 * plain text.
 */
export function sealWithSecret(secret: string, value: unknown): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', derive(secret, 'notice'), iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Decrypts it; undefined if it was not encrypted with this secret. */
export function unseal(secret: string, sealed: Buffer): unknown {
  try {
    const decipher = createDecipheriv(
      'aes-256-gcm',
      derive(secret, 'notice'),
      sealed.subarray(0, ivBytes),
      {
        authTagLength: tagBytes,
      },
    );
    decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
    const opened = [decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()];
    return JSON.parse(Buffer.concat(opened).toString('utf8'));
  } catch {
    return undefined;
  }
}
