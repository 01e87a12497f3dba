import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { Config } from '#shared/platform/config/load.ts';
import { createKeyRing, type KeyRing } from './key-ring.ts';

/** The variables that `createMasterKeys` needs. */
export const personalDataVariables = ['PERSONAL_DATA_KEY', 'PERSONAL_DATA_KEY_PREVIOUS'] as const;
export type PersonalDataConfig = Config<(typeof personalDataVariables)[number]>;

export type WrappedKey = { master_key_id: string; wrapped: string };

export type MasterKeys = {
  /** A new client key, plain and wrapped by the current master key. */
  create(keyId: string): { key: KeyObject } & WrappedKey;
  /**
   * The client key. @throws KeyUnreadable if no known master key has wrapped it, or it was altered
   */
  unwrap(keyId: string, wrapped: WrappedKey): KeyObject;
};

const keyBytes = 32;

/** The master keys that wrap clients' keys: the current one, and previous ones for older keys. */
export function createMasterKeys(config: PersonalDataConfig): MasterKeys {
  const ring = personalDataRing(config);
  return {
    create: (keyId) => {
      const bytes = randomBytes(keyBytes);
      const { id, sealed } = ring.seal(bytes, wrappedAs(keyId));
      return { key: createSecretKey(bytes), master_key_id: id, wrapped: sealed };
    },
    unwrap: (keyId, { master_key_id: id, wrapped }) =>
      createSecretKey(ring.open({ id, sealed: wrapped }, wrappedAs(keyId))),
  };
}

export const personalDataRing = (config: PersonalDataConfig): KeyRing =>
  createKeyRing({
    current: config.PERSONAL_DATA_KEY,
    previous: config.PERSONAL_DATA_KEY_PREVIOUS,
    variable: 'PERSONAL_DATA_KEY_PREVIOUS',
  });

const wrappedAs = (keyId: string) => `personal-key ${keyId}`;
