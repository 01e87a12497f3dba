import { createSecretKey, hash, randomBytes, type KeyObject } from 'node:crypto';
import type { Config } from '#shared/platform/config/load.ts';
import { decrypt, encrypt, hmac, newNonce } from './sealed-value.ts';

/** The variables that `createMasterKeys` needs. */
export const personalDataVariables = ['PERSONAL_DATA_KEY', 'PERSONAL_DATA_KEY_PREVIOUS'] as const;

export type Wrapped = { master_key_id: string; wrapped: string };

export type MasterKeys = {
  /** A new client key, and the same wrapped by the master key in force. */
  create(keyId: string): { key: KeyObject } & Wrapped;
  /** The client key. @throws KeyUnreadable when no master key that is known has wrapped it, or it was altered */
  unwrap(keyId: string, wrapped: Wrapped): KeyObject;
  /** A secret of the gateway's own, by the master key in force, bound to what it is about. */
  seal(text: string, about: string): SealedByMaster;
  /** The text again. @throws KeyUnreadable as `unwrap`, and where it is about something else */
  open(sealed: Pick<SealedByMaster, 'master_key_id' | 'sealed'>, about: string): string;
};

/** `fingerprint`: the same text about the same is known again by it, as long as the master key is the same. */
export type SealedByMaster = { master_key_id: string; sealed: string; fingerprint: string };

/** There is something sealed, and no master key that reads it. */
export class KeyUnreadable extends Error {}

const keyBytes = 32;
const nonceLength = 12;
const fingerprintLength = 16;

/** What wraps clients' keys: the key in force, and those before it that older ones are still wrapped by. */
export function createMasterKeys(config: Config<(typeof personalDataVariables)[number]>): MasterKeys {
  const current = masterKeyOf(config.PERSONAL_DATA_KEY);
  const known = new Map(
    [...config.PERSONAL_DATA_KEY_PREVIOUS.map(masterKeyOf), current].map(({ id, key }) => [id, key]),
  );
  const withNonce = (bytes: Uint8Array, about: string): string => {
    const nonce = newNonce();
    const encrypted = encrypt(bytes, { key: current.key, nonce, about });
    return Buffer.concat([nonce, encrypted]).toString('base64url');
  };
  /** @throws KeyUnreadable */
  const decrypted = (id: string, { text, about }: { text: string; about: string }): Buffer => {
    const key = known.get(id);
    if (!key) throw new KeyUnreadable(`no master key ${id}: PERSONAL_DATA_KEY_PREVIOUS lacks it`);
    const bytes = Buffer.from(text, 'base64url');
    const nonce = bytes.subarray(0, nonceLength);
    try {
      return decrypt(bytes.subarray(nonceLength), { key, nonce, about });
    } catch (cause) {
      throw new KeyUnreadable(`${about} can not be read`, { cause });
    }
  };
  return {
    create: (keyId) => {
      const bytes = randomBytes(keyBytes);
      const wrapped = withNonce(bytes, wrappedAs(keyId));
      return { key: createSecretKey(bytes), master_key_id: current.id, wrapped };
    },
    unwrap: (keyId, { master_key_id: id, wrapped }) =>
      createSecretKey(decrypted(id, { text: wrapped, about: wrappedAs(keyId) })),
    seal: (text, about) => ({
      master_key_id: current.id,
      sealed: withNonce(Buffer.from(text), about),
      fingerprint: hmac(current.key, `fingerprint of ${about}`, text).slice(0, fingerprintLength),
    }),
    open: ({ master_key_id: id, sealed }, about) => decrypted(id, { text: sealed, about }).toString(),
  };
}

const wrappedAs = (keyId: string) => `personal-key ${keyId}`;

/** A master key by an id that tells nothing of it. */
function masterKeyOf(text: string): { id: string; key: KeyObject } {
  const bytes = Buffer.from(text, 'base64');
  const id = hash('sha256', Buffer.concat([Buffer.from('master key id '), bytes]), 'hex').slice(0, 16);
  return { id, key: createSecretKey(bytes) };
}
