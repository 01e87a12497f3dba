import { createSecretKey, hash, type KeyObject } from 'node:crypto';
import { decrypt, encrypt, hmac, newNonce } from './sealed-value.ts';

/** There is something sealed, and no key that reads it. */
export class KeyUnreadable extends Error {}

/** Keys of configuration: the one in force, which seals, and those before it, which only open. */
export type KeyRing = {
  /** By what each of them is named in the log; it tells nothing of the key. */
  ids: readonly string[];
  currentId: string;
  /** Bytes, bound to what they are about. */
  seal(bytes: Uint8Array, about: string): { id: string; sealed: string };
  /** The bytes again. @throws KeyUnreadable where there is no such key, or they were altered or are about something else */
  open(of: { id: string; sealed: string }, about: string): Buffer;
  /** The same text about the same is known again by it, as long as the key in force is the same. */
  fingerprint(text: string, about: string): string;
};

const nonceLength = 12;
const fingerprintLength = 16;

/** `variable`: which setting lacks the key that is not there. */
export function createKeyRing({
  current: currentText,
  previous,
  variable,
}: {
  current: string;
  previous: readonly string[];
  variable: string;
}): KeyRing {
  const current = keyOf(currentText);
  const known = new Map([...previous.map(keyOf), current].map(({ id, key }) => [id, key]));
  return {
    ids: [...known.keys()],
    currentId: current.id,
    seal: (bytes, about) => {
      const nonce = newNonce();
      const encrypted = encrypt(bytes, { key: current.key, nonce, about });
      return { id: current.id, sealed: Buffer.concat([nonce, encrypted]).toString('base64url') };
    },
    open: ({ id, sealed }, about) => {
      const key = known.get(id);
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

/** A key by an id that tells nothing of it. */
function keyOf(text: string): { id: string; key: KeyObject } {
  const bytes = Buffer.from(text, 'base64');
  const id = hash('sha256', Buffer.concat([Buffer.from('master key id '), bytes]), 'hex').slice(0, 16);
  return { id, key: createSecretKey(bytes) };
}
