import { describe, expect, it } from 'vitest';
import { evolveAccounts, noAccounts, type KeptCredentials } from '#shared/domain/provider/accounts.ts';
import type { SealedCredentials } from '#shared/domain/provider/events.ts';
import { KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import { createMasterKeys, personalDataRing } from '#shared/application/personal-data/master-keys.ts';
import { createCredentialKeys } from './credential-keys.ts';
import { textOf } from './credentials.ts';

const [personal, one, other] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64url')) as [
  string,
  string,
  string,
];
const ofPersonalData = { PERSONAL_DATA_KEY: personal, PERSONAL_DATA_KEY_PREVIOUS: [] };
const keysOf = (current: string, ...previous: string[]) =>
  createCredentialKeys({
    ...ofPersonalData,
    PROVIDER_CREDENTIALS_KEY: current,
    PROVIDER_CREDENTIALS_KEY_PREVIOUS: previous,
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
/** What is kept after the account was added with the first of them and got the others, one after another. */
function keptAfter(first: SealedCredentials, ...others: SealedCredentials[]): KeptCredentials {
  const happened = { createdIso: '2026-01-31T12:00:00.000Z', actor: 'operator:anna' };
  const added = { type: 'ProviderAccountAdded', data: { ...of, label: 'L', credentials: first } } as const;
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
  it('are sealed for that account, and opened as that alone', () => {
    const kept = keptAfter(nth(1));
    expect(JSON.stringify(kept)).not.toContain(Buffer.from('a-key-of-the-second').toString('base64url'));
    expect(keysOf(one).open(of, kept)).toEqual(credentials);
    expect(() => keysOf(one).open({ ...of, account: 'third' }, kept)).toThrow(KeyUnreadable);
    expect(() => keysOf(one).open({ ...of, provider: 'bank' }, kept)).toThrow(KeyUnreadable);
  });

  it('are opened as the so many-th of it alone: older ones do not open in a newer event’s place', () => {
    expect(keysOf(one).open(of, keptAfter(nth(1), nth(2)))).toEqual(credentials);
    expect(() => keysOf(one).open(of, keptAfter(nth(1), nth(2), nth(1)))).toThrow(KeyUnreadable);
    expect(() => keysOf(one).open(of, keptAfter(nth(2), nth(1)))).toThrow(KeyUnreadable);
  });

  it('are opened by nobody who has the key of personal data alone', () => {
    const { master_key_id: id, sealed } = nth(1);
    const wrapped = { master_key_id: id, wrapped: sealed };
    expect(() => createMasterKeys(ofPersonalData).unwrap('a', wrapped)).toThrow(KeyUnreadable);
    expect(() => keysOf(other).open(of, keptAfter(nth(1)))).toThrow('PROVIDER_CREDENTIALS_KEY_PREVIOUS');
  });

  it('that the key of personal data sealed are opened until the first ones that were sealed by their own', () => {
    expect(keysOf(one).open(of, keptAfter(sealedBefore()))).toEqual(credentials);
    expect(keysOf(one).open(of, keptAfter(sealedBefore(), sealedBefore()))).toEqual(credentials);
    expect(keysOf(one).open(of, keptAfter(sealedBefore(), nth(2)))).toEqual(credentials);
    expect(() => keysOf(one).open(of, keptAfter(nth(1), sealedBefore()))).toThrow(KeyUnreadable);
    const renamed = { ...sealedBefore(), sealed: `v2.${sealedBefore().sealed}` };
    expect(() => keysOf(one).open(of, keptAfter(renamed))).toThrow(KeyUnreadable);
  });

  it('say whether they would be sealed in no other way now, and are known again under the same key', () => {
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

  it('have a key that is not that of personal data too', () => {
    const problem = 'PROVIDER_CREDENTIALS_KEY: must be another key than PERSONAL_DATA_KEY';
    expect(() => keysOf(personal)).toThrow(problem);
    expect(() => keysOf(one, personal)).toThrow(problem);
    // Either alphabet of base64 is the same key.
    expect(() => keysOf(Buffer.from(personal, 'base64url').toString('base64'))).toThrow(problem);
  });
});
