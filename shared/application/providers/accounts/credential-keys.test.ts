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
import { textOf } from './credentials.ts';

const keyText = (byte: number) => Buffer.alloc(32, byte).toString('base64url');
const [personal, one, other, ofCallbacks, otherOfCallbacks] = [1, 2, 3, 4, 5].map(keyText) as [
  string,
  string,
  string,
  string,
  string,
];
const ofPersonalData = { PERSONAL_DATA_KEY: personal, PERSONAL_DATA_KEY_PREVIOUS: [] };
/** Of a process that reads no callbacks. */
const callersOf = (current: string, ...previous: string[]) =>
  createCredentialKeys({
    ...ofPersonalData,
    PROVIDER_CREDENTIALS_KEY: current,
    PROVIDER_CREDENTIALS_KEY_PREVIOUS: previous,
  });
const keysWith = (callbacksKey: string, { previous = [] }: { previous?: string[] }) =>
  createCredentialKeys({
    ...ofPersonalData,
    PROVIDER_CREDENTIALS_KEY: one,
    PROVIDER_CREDENTIALS_KEY_PREVIOUS: [],
    PROVIDER_CALLBACKS_KEY: callbacksKey,
    PROVIDER_CALLBACKS_KEY_PREVIOUS: previous,
  });
const keysOf = (current: string, ...previous: string[]) =>
  createCredentialKeys({
    ...ofPersonalData,
    PROVIDER_CREDENTIALS_KEY: current,
    PROVIDER_CREDENTIALS_KEY_PREVIOUS: previous,
    PROVIDER_CALLBACKS_KEY: ofCallbacks,
    PROVIDER_CALLBACKS_KEY_PREVIOUS: [],
  });

const of = { provider: 'sandbox', account: 'second' };
const credentials = { api_key: 'a-key-of-the-second', callback_secret: 'a secret' };
const about = 'provider-account sandbox/second';
/** As credentials were sealed before they had a key of their own. */
function sealedBefore(): SealedCredentials {
  const ring = personalDataRing(ofPersonalData);
  const { id, sealed } = ring.seal(Buffer.from(textOf(credentials)), about);
  return { master_key_id: id, sealed, fingerprint: ring.fingerprint(textOf(credentials), about) };
}
/** As they were sealed before secrets of callbacks had one. */
function sealedTogether(number: number, key = one): SealedCredentials {
  const ring = createKeyRing({ current: key, previous: [], variable: 'X' });
  const { id, sealed } = ring.seal(
    Buffer.from(textOf(credentials)),
    `${about} credentials ${number}`,
  );
  return { master_key_id: id, sealed: `v2.${sealed}`, fingerprint: '0123456789abcdef' };
}
/**
 * What is kept after the account was added with the first of them and got the others, one after
 * another.
 */
function keptAfter(first: SealedCredentials, ...others: SealedCredentials[]): StoredCredentials {
  const happened = { createdIso: '2026-01-31T12:00:00.000Z', actor: 'operator:anna' };
  const added = {
    type: 'ProviderAccountAdded',
    data: { ...of, label: 'L', credentials: first },
  } as const;
  const accounts = others.reduce(
    (state, each) =>
      evolveAccounts(
        state,
        { type: 'ProviderAccountCredentialsReplaced', data: { ...of, credentials: each } },
        happened,
      ),
    evolveAccounts(noAccounts, added, happened),
  );
  return accounts.get('sandbox/second')!.credentials;
}
const nth = (number: number, keys = keysOf(one)) => keys.seal({ ...of, number }, credentials);

describe('credentials of an account', () => {
  it('are sealed for that account, and decrypted only as such (R23.2)', () => {
    const kept = keptAfter(nth(1));
    expect(JSON.stringify(kept)).not.toContain(
      Buffer.from('a-key-of-the-second').toString('base64url'),
    );
    expect(keysOf(one).open(of, kept)).toEqual(credentials);
    expect(() => keysOf(one).open({ ...of, account: 'third' }, kept)).toThrow(KeyUnreadable);
    expect(() => keysOf(one).open({ ...of, provider: 'bank' }, kept)).toThrow(KeyUnreadable);
  });

  it('are decrypted only at their sequence number: older ones cannot replace newer ones (R23.2)', () => {
    expect(keysOf(one).open(of, keptAfter(nth(1), nth(2)))).toEqual(credentials);
    expect(() => keysOf(one).open(of, keptAfter(nth(1), nth(2), nth(1)))).toThrow(KeyUnreadable);
    expect(() => keysOf(one).open(of, keptAfter(nth(2), nth(1)))).toThrow(KeyUnreadable);
  });

  it('cannot be decrypted with the key of personal data alone (R23.2)', () => {
    const { master_key_id: id, sealed } = nth(1);
    const wrapped = { master_key_id: id, wrapped: sealed };
    expect(() => createMasterKeys(ofPersonalData).unwrap('a', wrapped)).toThrow(KeyUnreadable);
    expect(() => keysOf(other).open(of, keptAfter(nth(1)))).toThrow(
      'PROVIDER_CREDENTIALS_KEY_PREVIOUS',
    );
  });

  it('sealed with the key of personal data are accepted until the first ones with their own key (R23.2)', () => {
    expect(keysOf(one).open(of, keptAfter(sealedBefore()))).toEqual(credentials);
    expect(keysOf(one).open(of, keptAfter(sealedBefore(), sealedBefore()))).toEqual(credentials);
    expect(keysOf(one).open(of, keptAfter(sealedBefore(), nth(2)))).toEqual(credentials);
    expect(() => keysOf(one).open(of, keptAfter(nth(1), sealedBefore()))).toThrow(KeyUnreadable);
    const renamed = { ...sealedBefore(), sealed: `v2.${sealedBefore().sealed}` };
    expect(() => keysOf(one).open(of, keptAfter(renamed))).toThrow(KeyUnreadable);
  });

  it('are recognised under the same key, and show whether they would be sealed differently now', () => {
    const rotated = keysOf(other, one);
    expect(rotated.open(of, keptAfter(nth(1)))).toEqual(credentials);
    expect(rotated.isSealedAsNow(keptAfter(nth(1)))).toBe(false);
    expect(rotated.isSealedAsNow(keptAfter(nth(1), nth(2, rotated)))).toBe(true);
    expect(keysOf(one).isSealedAsNow(keptAfter(sealedBefore()))).toBe(false);
    expect(nth(2).fingerprint).toBe(nth(1).fingerprint);
    expect(nth(1, rotated).fingerprint).not.toBe(nth(1).fingerprint);
    const third = keysOf(one).seal({ ...of, account: 'third', number: 1 }, credentials);
    expect(third.fingerprint).not.toBe(nth(1).fingerprint);
  });

  it('sealed with one key are accepted until the first ones with a separate callback secret (R23.2)', () => {
    for (const keys of [keysOf(one), callersOf(one)])
      expect(keys.open(of, keptAfter(sealedTogether(1)))).toEqual(credentials);
    expect(keysOf(one).open(of, keptAfter(sealedBefore(), sealedTogether(2)))).toEqual(credentials);
    expect(keysOf(one).open(of, keptAfter(sealedTogether(1), nth(2)))).toEqual(credentials);
    expect(() => keysOf(one).open(of, keptAfter(nth(1), sealedTogether(2)))).toThrow(KeyUnreadable);
    const renamed = {
      ...sealedTogether(1),
      sealed: sealedTogether(1).sealed.replace('v2.', 'v3.'),
    };
    expect(() => keysOf(one).open(of, keptAfter(renamed))).toThrow('no secret of callbacks');
    expect(keysOf(one).isSealedAsNow(keptAfter(sealedTogether(1)))).toBe(false);
  });

  it('need a key other than that of personal data (R23.2)', () => {
    const problem = 'PROVIDER_CREDENTIALS_KEY: must be another key than PERSONAL_DATA_KEY';
    expect(() => keysOf(personal)).toThrow(problem);
    expect(() => keysOf(one, personal)).toThrow(problem);
    // Either alphabet of base64 is the same key.
    expect(() => keysOf(Buffer.from(personal, 'base64url').toString('base64'))).toThrow(problem);
  });
});

describe('a secret of callbacks', () => {
  const { api_key } = credentials;
  const partsOf = ({ sealed }: SealedCredentials) => sealed.slice('v3.'.length).split('.');
  /** As who has the key of the others, and the log, would put them together. */
  const madeUp = (own: object, number: number, ...callbacks: string[]): SealedCredentials => {
    const ring = createKeyRing({ current: one, previous: [], variable: 'X' });
    const text = textOf(own as Record<string, string>);
    const { id, sealed } = ring.seal(Buffer.from(text), `${about} credentials ${number}`);
    const parts = ['v3', sealed, ...callbacks];
    return { master_key_id: id, sealed: parts.join('.'), fingerprint: '0123456789abcdef' };
  };

  it('is decrypted with its own key only: a caller decrypts its call credentials (R23.2)', () => {
    expect(callersOf(one).open(of, keptAfter(nth(1)))).toEqual({ api_key });
    const stranger = keysWith(otherOfCallbacks, {});
    expect(() => stranger.open(of, keptAfter(nth(1)))).toThrow('PROVIDER_CALLBACKS_KEY_PREVIOUS');
    expect(() => callersOf(one).seal({ ...of, number: 1 }, credentials)).toThrow(
      'without their key',
    );
  });

  it('cannot be replaced with the key of the other credentials (R23.2)', () => {
    const forged = { ...credentials, callback_secret: 'forged' };
    const [, ...first] = partsOf(nth(1));
    const [, ...second] = partsOf(nth(2));
    expect(keysOf(one).open(of, keptAfter(madeUp(forged, 1, ...first)))).toEqual(credentials);
    for (const wrong of [
      madeUp(forged, 1),
      madeUp(forged, 1, ...second),
      madeUp(forged, 1, 'x', 'y'),
    ])
      expect(() => keysOf(one).open(of, keptAfter(wrong))).toThrow(KeyUnreadable);
    // Of another account: about something else.
    const third = keysOf(one).seal({ ...of, account: 'third', number: 1 }, credentials);
    const moved = madeUp({ api_key }, 1, ...partsOf(third).slice(1));
    expect(() => keysOf(one).open(of, keptAfter(moved))).toThrow(KeyUnreadable);
  });

  it('is sealed again with a new key, and equal credentials then count as different', () => {
    const rotated = keysWith(otherOfCallbacks, { previous: [ofCallbacks] });
    expect(rotated.open(of, keptAfter(nth(1)))).toEqual(credentials);
    expect(rotated.isSealedAsNow(keptAfter(nth(1)))).toBe(false);
    expect(rotated.isSealedAsNow(keptAfter(nth(1), nth(2, rotated)))).toBe(true);
    expect(nth(1, rotated).fingerprint).not.toBe(nth(1).fingerprint);
  });

  it('distinguishes credentials that are otherwise equal', () => {
    const changed = keysOf(one).seal(
      { ...of, number: 1 },
      { ...credentials, callback_secret: 'another' },
    );
    expect(changed.fingerprint).not.toBe(nth(1).fingerprint);
  });

  it('is absent for a polled provider: a caller decrypts all of its credentials', () => {
    const bank = { provider: 'bank', account: 'second', number: 1 };
    const given = { account: '40702810500000000002', key: 'a-key-of-the-bank' };
    for (const keys of [callersOf(one), keysOf(one)]) {
      const kept = { ...keys.seal(bank, given), number: 1, apart: true } as const;
      for (const opens of [callersOf(one), keysOf(one)])
        expect(opens.open(bank, kept)).toEqual(given);
      expect(keys.isSealedAsNow(kept)).toBe(true);
    }
  });

  it('needs a key other than both of the others', () => {
    const same = (name: string) => `PROVIDER_CALLBACKS_KEY: must be another key than ${name}`;
    expect(() => keysWith(one, {})).toThrow(same('PROVIDER_CREDENTIALS_KEY'));
    expect(() => keysWith(personal, {})).toThrow(same('PERSONAL_DATA_KEY'));
    expect(() => keysWith(ofCallbacks, { previous: [one] })).toThrow(
      same('PROVIDER_CREDENTIALS_KEY'),
    );
  });
});

describe('a provider', () => {
  it.each(Object.entries(credentialsForms))(
    '%s names its secrets of callbacks among its credentials',
    (_, form) => {
      const names = Object.keys(form.schema.shape);
      expect(names).toEqual(expect.arrayContaining([...form.callbacks, ...form.identity]));
      // What says which account it is has to be opened by who calls it.
      expect(form.identity.filter((name) => form.callbacks.includes(name))).toEqual([]);
    },
  );
});
