import { describe, expect, it } from 'vitest';
import {
  evolveAccounts,
  noAccounts,
  type StoredCredentials,
} from '#shared/domain/provider/accounts.ts';
import type { SealedCredentials } from '#shared/domain/provider/events.ts';
import { createKeyRing, KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import {
  createMasterKeys,
  personalDataRing,
} from '#shared/application/personal-data/master-keys.ts';
import { createCredentialKeys } from './credential-keys.ts';
import { credentialsForms } from '../credentials-forms.ts';
import { credentialsIn, credentialsText } from './credentials.ts';

const keyText = (byte: number) => Buffer.alloc(32, byte).toString('base64url');
const [personal, one, other, ofCallbacks, otherOfCallbacks] = [1, 2, 3, 4, 5].map(keyText) as [
  string,
  string,
  string,
  string,
  string,
];
const ofPersonalData = { PERSONAL_DATA_KEY: personal, PERSONAL_DATA_KEY_PREVIOUS: [] };
const keysWith = (
  callbacksKey: string | undefined,
  previous: string[] = [],
  [current, ...former]: readonly [string, ...string[]] = [one],
) =>
  createCredentialKeys({
    ...ofPersonalData,
    PROVIDER_CREDENTIALS_KEY: current,
    PROVIDER_CREDENTIALS_KEY_PREVIOUS: former,
    ...(callbacksKey !== undefined && {
      PROVIDER_CALLBACKS_KEY: callbacksKey,
      PROVIDER_CALLBACKS_KEY_PREVIOUS: previous,
    }),
  });
const keysOf = (...keys: [string, ...string[]]) => keysWith(ofCallbacks, [], keys);
/** The keys of a process that reads no callbacks. */
const keysWithoutCallbacks = keysWith(undefined);

const account = { provider: 'sandbox', account: 'second' };
const credentials = { api_key: 'a-key-of-the-second', callback_secret: 'a secret' };
const about = 'provider-account sandbox/second';
/** Credentials sealed before they had a separate key. */
function sealedBefore(): SealedCredentials {
  const ring = personalDataRing(ofPersonalData);
  const { id, sealed } = ring.seal(Buffer.from(credentialsText(credentials)), about);
  return {
    master_key_id: id,
    sealed,
    fingerprint: ring.fingerprint(credentialsText(credentials), about),
  };
}
/** Credentials sealed before callback secrets had a separate key. */
function sealedTogether(number: number, key = one): SealedCredentials {
  const ring = createKeyRing({ current: key, previous: [], variable: 'X' });
  const { id, sealed } = ring.seal(
    Buffer.from(credentialsText(credentials)),
    `${about} credentials ${number}`,
  );
  return { master_key_id: id, sealed: `v2.${sealed}`, fingerprint: '0123456789abcdef' };
}
/**
 * The stored credentials of an account that was added with the first and then got the others in
 * order.
 */
function storedAfter(first: SealedCredentials, ...others: SealedCredentials[]): StoredCredentials {
  const recorded = { createdIso: '2026-01-31T12:00:00.000Z', actor: 'operator:anna' };
  const added = {
    type: 'ProviderAccountAdded',
    data: { ...account, label: 'L', credentials: first },
  } as const;
  const accounts = others.reduce(
    (state, each) =>
      evolveAccounts(
        state,
        { type: 'ProviderAccountCredentialsReplaced', data: { ...account, credentials: each } },
        recorded,
      ),
    evolveAccounts(noAccounts, added, recorded),
  );
  return accounts.get('sandbox/second')!.credentials;
}
/** What the keys of today decrypt, or the error. */
const opened = (...stored: Parameters<typeof storedAfter>) =>
  keysOf(one).open(account, storedAfter(...stored));
const nth = (number: number, keys = keysOf(one)) => keys.seal({ ...account, number }, credentials);

describe('account credentials', () => {
  it('are read only from their canonical text', () => {
    expect(credentialsIn(credentialsText(credentials))).toEqual(credentials);
    for (const text of ['{}', '[["api_key"]]', '[["api_key",7]]'])
      expect(() => credentialsIn(text)).toThrow(/./);
  });

  it('are decrypted only for the account that they were sealed for (R23.2)', () => {
    const stored = storedAfter(nth(1));
    expect(JSON.stringify(stored)).not.toContain(
      Buffer.from('a-key-of-the-second').toString('base64url'),
    );
    expect(keysOf(one).open(account, stored)).toEqual(credentials);
    expect(() => keysOf(one).open({ ...account, account: 'third' }, stored)).toThrow(KeyUnreadable);
    expect(() => keysOf(one).open({ ...account, provider: 'bank' }, stored)).toThrow(KeyUnreadable);
  });

  it('are bound to their version: older ones cannot replace newer ones (R23.2)', () => {
    expect(opened(nth(1), nth(2))).toEqual(credentials);
    expect(() => opened(nth(1), nth(2), nth(1))).toThrow(KeyUnreadable);
    expect(() => opened(nth(2), nth(1))).toThrow(KeyUnreadable);
  });

  it('cannot be decrypted with the personal-data key alone (R23.2)', () => {
    const { master_key_id: id, sealed } = nth(1);
    const wrapped = { master_key_id: id, wrapped: sealed };
    expect(() => createMasterKeys(ofPersonalData).unwrap('a', wrapped)).toThrow(KeyUnreadable);
    expect(() => keysOf(other).open(account, storedAfter(nth(1)))).toThrow(
      'PROVIDER_CREDENTIALS_KEY_PREVIOUS',
    );
  });

  it('are accepted under the personal-data key only before any under their own (R23.2)', () => {
    expect(opened(sealedBefore())).toEqual(credentials);
    expect(opened(sealedBefore(), sealedBefore())).toEqual(credentials);
    expect(opened(sealedBefore(), nth(2))).toEqual(credentials);
    expect(() => opened(nth(1), sealedBefore())).toThrow(KeyUnreadable);
    const renamed = { ...sealedBefore(), sealed: `v2.${sealedBefore().sealed}` };
    expect(() => opened(renamed)).toThrow(KeyUnreadable);
  });

  it('have a fingerprint per key and account, and show if they need resealing', () => {
    const rotated = keysOf(other, one);
    expect(rotated.open(account, storedAfter(nth(1)))).toEqual(credentials);
    expect(rotated.isSealedAsNow(storedAfter(nth(1)))).toBe(false);
    expect(rotated.isSealedAsNow(storedAfter(nth(1), nth(2, rotated)))).toBe(true);
    expect(keysOf(one).isSealedAsNow(storedAfter(sealedBefore()))).toBe(false);
    expect(nth(2).fingerprint).toBe(nth(1).fingerprint);
    expect(nth(1, rotated).fingerprint).not.toBe(nth(1).fingerprint);
    const third = keysOf(one).seal({ ...account, account: 'third', number: 1 }, credentials);
    expect(third.fingerprint).not.toBe(nth(1).fingerprint);
  });

  it('are accepted under one key only before any with a separate callback secret (R23.2)', () => {
    for (const keys of [keysOf(one), keysWithoutCallbacks])
      expect(keys.open(account, storedAfter(sealedTogether(1)))).toEqual(credentials);
    expect(opened(sealedBefore(), sealedTogether(2))).toEqual(credentials);
    expect(opened(sealedTogether(1), nth(2))).toEqual(credentials);
    expect(() => opened(nth(1), sealedTogether(2))).toThrow(KeyUnreadable);
    const renamed = {
      ...sealedTogether(1),
      sealed: sealedTogether(1).sealed.replace('v2.', 'v3.'),
    };
    expect(() => opened(renamed)).toThrow('no secret of callbacks');
    expect(keysOf(one).isSealedAsNow(storedAfter(sealedTogether(1)))).toBe(false);
  });

  it('require a key different from PERSONAL_DATA_KEY (R23.2)', () => {
    const problem = 'PROVIDER_CREDENTIALS_KEY: must be another key than PERSONAL_DATA_KEY';
    expect(() => keysOf(personal)).toThrow(problem);
    expect(() => keysOf(one, personal)).toThrow(problem);
    // Both base64 alphabets encode the same key.
    expect(() => keysOf(Buffer.from(personal, 'base64url').toString('base64'))).toThrow(problem);
  });
});

describe('a callback secret', () => {
  const { api_key } = credentials;
  const partsOf = ({ sealed }: SealedCredentials) => sealed.slice('v3.'.length).split('.');
  /** Built by an attacker with the key of the other credentials and access to the log. */
  const forgeCredentials = (
    own: object,
    number: number,
    ...callbacks: string[]
  ): SealedCredentials => {
    const ring = createKeyRing({ current: one, previous: [], variable: 'X' });
    const text = credentialsText(own as Record<string, string>);
    const { id, sealed } = ring.seal(Buffer.from(text), `${about} credentials ${number}`);
    const parts = ['v3', sealed, ...callbacks];
    return { master_key_id: id, sealed: parts.join('.'), fingerprint: '0123456789abcdef' };
  };

  it('needs the callbacks key, without which only the rest is decrypted (R23.2)', () => {
    expect(keysWithoutCallbacks.open(account, storedAfter(nth(1)))).toEqual({ api_key });
    const otherKeys = keysWith(otherOfCallbacks);
    expect(() => otherKeys.open(account, storedAfter(nth(1)))).toThrow(
      'PROVIDER_CALLBACKS_KEY_PREVIOUS',
    );
    expect(() => keysWithoutCallbacks.seal({ ...account, number: 1 }, credentials)).toThrow(
      'without their key',
    );
  });

  it('cannot be forged with the key of the other credentials (R23.2)', () => {
    const forged = { ...credentials, callback_secret: 'forged' };
    const [, ...first] = partsOf(nth(1));
    const [, ...second] = partsOf(nth(2));
    expect(opened(forgeCredentials(forged, 1, ...first))).toEqual(credentials);
    for (const wrong of [
      forgeCredentials(forged, 1),
      forgeCredentials(forged, 1, ...second),
      forgeCredentials(forged, 1, 'x', 'y'),
    ])
      expect(() => opened(wrong)).toThrow(KeyUnreadable);
    // The sealed secret of another account.
    const third = keysOf(one).seal({ ...account, account: 'third', number: 1 }, credentials);
    const moved = forgeCredentials({ api_key }, 1, ...partsOf(third).slice(1));
    expect(() => opened(moved)).toThrow(KeyUnreadable);
  });

  it('has another fingerprint under a new key, and is due for resealing', () => {
    const rotated = keysWith(otherOfCallbacks, [ofCallbacks]);
    expect(rotated.open(account, storedAfter(nth(1)))).toEqual(credentials);
    expect(rotated.isSealedAsNow(storedAfter(nth(1)))).toBe(false);
    expect(rotated.isSealedAsNow(storedAfter(nth(1), nth(2, rotated)))).toBe(true);
    expect(nth(1, rotated).fingerprint).not.toBe(nth(1).fingerprint);
  });

  it('is part of the fingerprint', () => {
    const changed = keysOf(one).seal(
      { ...account, number: 1 },
      { ...credentials, callback_secret: 'another' },
    );
    expect(changed.fingerprint).not.toBe(nth(1).fingerprint);
  });

  it('is absent for a polled provider, whose credentials any process decrypts', () => {
    const bank = { provider: 'bank', account: 'second', number: 1 };
    const bankCredentials = { account: '40702810500000000002', key: 'a-key-of-the-bank' };
    for (const keys of [keysWithoutCallbacks, keysOf(one)]) {
      const stored = { ...keys.seal(bank, bankCredentials), number: 1, apart: true } as const;
      for (const opens of [keysWithoutCallbacks, keysOf(one)])
        expect(opens.open(bank, stored)).toEqual(bankCredentials);
      expect(keys.isSealedAsNow(stored)).toBe(true);
    }
  });

  it('requires a key different from both others', () => {
    const same = (name: string) => `PROVIDER_CALLBACKS_KEY: must be another key than ${name}`;
    expect(() => keysWith(one)).toThrow(same('PROVIDER_CREDENTIALS_KEY'));
    expect(() => keysWith(personal)).toThrow(same('PERSONAL_DATA_KEY'));
    expect(() => keysWith(ofCallbacks, [one])).toThrow(same('PROVIDER_CREDENTIALS_KEY'));
  });
});

describe('a credentials form', () => {
  it.each(Object.entries(credentialsForms))(
    'of %s lists callback and identity fields that it has, without overlap',
    (_, form) => {
      const names = Object.keys(form.schema.shape);
      expect(names).toEqual(expect.arrayContaining([...form.callbacks, ...form.identity]));
      // Callers must be able to decrypt the fields that identify the account.
      expect(form.identity.filter((name) => form.callbacks.includes(name))).toEqual([]);
    },
  );
});
