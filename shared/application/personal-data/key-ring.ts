import { createSecretKey, hash, type KeyObject } from 'node:crypto';
import { decrypt, encrypt, hmac, newNonce } from './sealed-value.ts';

/** Something is encrypted with a key that is not known. */
export class KeyUnreadable extends Error {}

/** Keys from the configuration: the current one encrypts; previous ones only decrypt. */
export type KeyRing = {
  /** Their ids in the log, which reveal nothing about the keys. */
  ids: readonly string[];
  currentId: string;
  /** Encrypts bytes, bound to their context. */
  seal(bytes: Uint8Array, about: string): { id: string; sealed: string };
  /**
   * Decrypts bytes. @throws KeyUnreadable if the key is missing, or they were altered or belong to
   * another context
   */
  open(of: { id: string; sealed: string }, about: string): Buffer;
  /** A fingerprint: equal for equal text and context, as long as the current key is the same. */
  fingerprint(text: string, about: string): string;
};

const nonceLength = 12;
const fingerprintLength = 16;

/** `variable`: the setting to name when a key is missing. */
export function createKeyRing({
  current: currentText,
  previous,
  variable,
}: {
  current: string;
  previous: readonly string[];
  variable: string;
}): KeyRing {
  const current = parseMasterKey(currentText);
  const keys = new Map([...previous.map(parseMasterKey), current].map(({ id, key }) => [id, key]));
  return {
    ids: [...keys.keys()],
    currentId: current.id,
    seal: (bytes, about) => {
      const nonce = newNonce();
      const encrypted = encrypt(bytes, { key: current.key, nonce, about });
      return { id: current.id, sealed: Buffer.concat([nonce, encrypted]).toString('base64url') };
    },
    open: ({ id, sealed }, about) => {
      const key = keys.get(id);
      if (!key) throw new KeyUnreadable(`no master key ${id}: ${variable} lacks it`);
      const bytes = Buffer.from(sealed, 'base64url');
      const nonce = bytes.subarray(0, nonceLength);
      try {
        return decrypt(bytes.subarray(nonceLength), { key, nonce, about });
      } catch (cause) {
        throw new KeyUnreadable(`${about} can not be read`, { cause });
      }
    },
    fingerprint: (text, about) =>
      hmac(current.key, `fingerprint of ${about}`, text).slice(0, fingerprintLength),
  };
}

/** An id of a key that reveals nothing about it. */
function parseMasterKey(text: string): { id: string; key: KeyObject } {
  const bytes = Buffer.from(text, 'base64');
  const id = hash('sha256', Buffer.concat([Buffer.from('master key id '), bytes]), 'hex').slice(
    0,
    16,
  );
  return { id, key: createSecretKey(bytes) };
}
