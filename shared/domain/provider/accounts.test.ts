import { describe, expect, it } from 'vitest';
import { whySkip } from '../routing.ts';
import {
  accountKey,
  providerAccount,
  addAccount,
  apartForm,
  evolveAccounts,
  isAccountOpen,
  mostAccounts,
  nextNumber,
  noAccounts,
  numberedForm,
  removeAccount,
  renameAccount,
  replaceCredentials,
  switchAccount,
  type AccountDecision,
  type ProviderAccounts,
} from './accounts.ts';
import { accountNamePattern, type ProviderAccountEvent, type SealedCredentials } from './events.ts';

const sealed = (fingerprint: string) => ({
  master_key_id: 'm1',
  sealed: `sealed ${fingerprint}`,
  fingerprint,
});
const named = { provider: 'sandbox', account: 'second' };
const first = { ...named, label: 'Second contract', credentials: sealed('aa') };
const added: ProviderAccountEvent = { type: 'ProviderAccountAdded', data: first };
const off: ProviderAccountEvent = {
  type: 'ProviderAccountSwitchedOff',
  data: { ...named, reason: 'its limit is used up' },
};
const on: ProviderAccountEvent = {
  type: 'ProviderAccountSwitchedOn',
  data: { ...named, reason: 'again' },
};
const removed: ProviderAccountEvent = {
  type: 'ProviderAccountRemoved',
  data: { ...named, reason: 'the contract ended' },
};
const until = '2026-02-01T12:00:00.000Z';
const replaced: ProviderAccountEvent = {
  type: 'ProviderAccountCredentialsReplaced',
  data: { ...named, credentials: sealed('bb'), previous_valid_until: until },
};
const at = { createdIso: '2026-01-31T12:00:00.000Z', actor: 'operator:anna' };
const given = (...events: ProviderAccountEvent[]): ProviderAccounts =>
  events.reduce((state, event) => evolveAccounts(state, event, at), noAccounts);
const second = (accounts: ProviderAccounts) => accounts.get(accountKey('sandbox', 'second'));
const nothing: AccountDecision = { events: [] };
const refused = (refusal: string) => ({ refusal });
const reason = 'because';

describe('provider account', () => {
  it('is added, with operator and time (R23.1)', () => {
    expect(addAccount(given(), first)).toEqual({ events: [added] });
    const change = { by: 'operator:anna', at: at.createdIso };
    expect(second(given(added))).toEqual({ ...first, version: 1, added: change, changed: change });
  });

  it('is added once: a repeat adds nothing, another account needs another name (R23.1)', () => {
    expect(addAccount(given(added), first)).toEqual(nothing);
    expect(addAccount(given(added), { ...first, label: 'x' })).toEqual(refused('name_taken'));
    expect(addAccount(given(added), { ...first, credentials: sealed('bb') })).toEqual(
      refused('name_taken'),
    );
    expect(addAccount(given(added), { ...first, provider: 'bank' })).toMatchObject({
      events: [{}],
    });
  });

  it('cannot have the name of the environment’s account or of a removed one (R23.5)', () => {
    expect(addAccount(given(), { ...first, account: 'default' })).toEqual(refused('name_taken'));
    expect(addAccount(given(added, off, removed), first)).toEqual(refused('name_taken'));
  });

  it('is limited in number per provider (R23.1)', () => {
    const many = Array.from({ length: mostAccounts }, (_, index): ProviderAccountEvent => {
      return { type: 'ProviderAccountAdded', data: { ...first, account: `a${index}` } };
    });
    expect(addAccount(given(...many), first)).toEqual(refused('too_many'));
    expect(addAccount(given(...many), { ...first, provider: 'bank' })).toMatchObject({
      events: [{}],
    });
  });

  it('gets new credentials while the previous ones stay valid for a while (R23.4)', () => {
    const command = { ...named, credentials: sealed('bb'), previousValidUntil: until };
    expect(replaceCredentials(given(added), command)).toEqual({ events: [replaced] });
    expect(second(given(added, replaced))).toMatchObject({
      credentials: sealed('bb'),
      previous: { credentials: sealed('aa'), until },
      version: 2,
    });
    expect(replaceCredentials(given(added, replaced), command)).toEqual(nothing);
  });

  it('gets new credentials, and drops the previous ones on request (R23.4)', () => {
    const command = { ...named, credentials: sealed('bb') };
    const decision = replaceCredentials(given(added, replaced), command);
    const dropped: ProviderAccountEvent = {
      type: 'ProviderAccountCredentialsReplaced',
      data: command,
    };
    expect(decision).toEqual({ events: [dropped] });
    const now = given(added, replaced, dropped);
    expect(second(now)).not.toHaveProperty('previous');
    expect(replaceCredentials(now, command)).toEqual(nothing);
  });

  it('has numbered credentials once their sealed form has the number (R23.2)', () => {
    const numbered = { ...sealed('bb'), sealed: `${numberedForm}bb` };
    const next = (credentials: SealedCredentials): ProviderAccountEvent => ({
      ...replaced,
      data: { ...replaced.data, credentials },
    });
    expect(nextNumber(given(), named)).toBe(1);
    expect(nextNumber(given(added, replaced), named)).toBe(3);
    expect(second(given(added, replaced))?.credentials).not.toHaveProperty('number');
    const now = second(given(added, next(numbered)));
    expect(now?.credentials).toEqual({ ...numbered, number: 2 });
    expect(now?.previous?.credentials).not.toHaveProperty('number');
    // Decrypted as number 3, which fails for credentials that were sealed without a number.
    const later = second(given(added, next(numbered), next(sealed('cc'))));
    expect(later?.credentials).toEqual({ ...sealed('cc'), number: 3 });
    expect(later?.previous?.credentials).toEqual({ ...numbered, number: 2 });
  });

  it('has numbered credentials once any account has (R23.2)', () => {
    const numbered = { ...first, credentials: { ...sealed('bb'), sealed: `${numberedForm}bb` } };
    const others = { ...first, account: 'other' };
    const [mine, other]: ProviderAccountEvent[] = [
      { type: 'ProviderAccountAdded', data: numbered },
      { type: 'ProviderAccountAdded', data: others },
    ];
    const numberOf = (...events: ProviderAccountEvent[]) =>
      given(...events).get(accountKey('sandbox', 'other'))?.credentials.number;
    expect(numberOf(other!)).toBeUndefined();
    expect(numberOf(other!, mine!)).toBeUndefined();
    expect(numberOf(mine!, other!)).toBe(1);
    const again: ProviderAccountEvent = {
      type: 'ProviderAccountCredentialsReplaced',
      data: { ...replaced.data, account: 'other' },
    };
    expect(numberOf(other!, mine!, again)).toBe(2);
    expect(numberOf(other!, again, mine!)).toBeUndefined();
  });

  it('has separate callback secrets once any account has (R23.2)', () => {
    const apart = { ...first, credentials: { ...sealed('bb'), sealed: `${apartForm}bb` } };
    const others = { ...first, account: 'other' };
    const numbered = { ...others, credentials: { ...sealed('cc'), sealed: `${numberedForm}cc` } };
    const credentialsOf = (...all: ProviderAccountEvent['data'][]) =>
      given(
        ...all.map((data) => ({ type: 'ProviderAccountAdded', data }) as ProviderAccountEvent),
      ).get(accountKey('sandbox', 'other'))?.credentials;
    expect(credentialsOf(numbered)).not.toHaveProperty('apart');
    expect(credentialsOf(numbered, apart)).not.toHaveProperty('apart');
    for (const later of [numbered, others])
      expect(credentialsOf(apart, later)).toEqual({ ...later.credentials, number: 1, apart: true });
  });

  it('gets a new label (R23.1)', () => {
    const command = { ...named, label: 'Third' };
    const renamed: ProviderAccountEvent = { type: 'ProviderAccountRenamed', data: command };
    expect(renameAccount(given(added), command)).toEqual({ events: [renamed] });
    expect(renameAccount(given(added, renamed), command)).toEqual(nothing);
  });

  it('is switched off and on, once each (R23.5)', () => {
    const command = { ...named, reason: 'its limit is used up' };
    expect(switchAccount(given(added), { ...command, to: 'off' })).toEqual({ events: [off] });
    expect(switchAccount(given(added, off), { ...command, to: 'off' })).toEqual(nothing);
    expect(second(given(added, off))?.off).toEqual({
      reason: 'its limit is used up',
      by: 'operator:anna',
      since: at.createdIso,
    });
    expect(switchAccount(given(added, off), { ...named, reason: 'again', to: 'on' })).toEqual({
      events: [on],
    });
    expect(switchAccount(given(added, off, on), { ...command, to: 'on' })).toEqual(nothing);
  });

  it('is removed for good once off, and keeps credentials for open attempts (R23.5)', () => {
    const command = { ...named, reason: 'the contract ended' };
    expect(removeAccount(given(added), command)).toEqual(refused('not_switched_off'));
    expect(removeAccount(given(added, off), command)).toEqual({ events: [removed] });
    const now = given(added, off, removed);
    expect(removeAccount(now, command)).toEqual(nothing);
    expect(second(now)).toMatchObject({
      credentials: sealed('aa'),
      removed: { reason: command.reason },
    });
  });

  it.each([
    ['does not exist', given()],
    ['was removed', given(added, off, removed)],
  ])('is not changed if it %s', (_, accounts) => {
    expect(renameAccount(accounts, { ...named, label: 'x' })).toEqual(refused('not_found'));
    expect(switchAccount(accounts, { ...named, reason, to: 'on' })).toEqual(refused('not_found'));
  });

  it('cannot be removed or get credentials if it does not exist', () => {
    expect(removeAccount(given(), { ...named, reason })).toEqual(refused('not_found'));
    const credentials = sealed('cc');
    expect(replaceCredentials(given(), { ...named, credentials })).toEqual(refused('not_found'));
  });

  it('can get new credentials after its removal, for its open attempts', () => {
    const credentials = sealed('cc');
    expect(replaceCredentials(given(added, off, removed), { ...named, credentials })).toEqual({
      events: [{ type: 'ProviderAccountCredentialsReplaced', data: { ...named, credentials } }],
    });
  });

  it.each(['default', 'a', 'shop-7', 'a'.repeat(40)])('accepts the name %j', (name) =>
    expect(name).toMatch(accountNamePattern),
  );
  it.each(['', 'A', 'a_b', 'a/b', '-a', 'a-', 'a'.repeat(41), '..'])(
    'rejects the name %j',
    (name) => expect(name).not.toMatch(accountNamePattern),
  );
});

describe('route', () => {
  const route = { provider: 'sandbox', account: 'second' };
  it('uses the environment’s account unless it names one (R23.3)', () => {
    expect([providerAccount({}), providerAccount(route)]).toEqual(['default', 'second']);
    expect(isAccountOpen(given(), { provider: 'sandbox' })).toBe(true);
    expect(isAccountOpen(given(), { provider: 'sandbox', account: 'default' })).toBe(true);
  });

  it.each([
    ['is switched on', given(added), undefined],
    ['is switched off', given(added, off), 'account_off'],
    ['is switched on again', given(added, off, on), undefined],
    ['was removed', given(added, off, removed), 'account_off'],
    ['does not exist', given(), 'account_off'],
  ])('is skipped if its account %s: %s (R23.5)', (_, accounts, why) => {
    const skip = whySkip({ off: new Set(), accounts });
    const full = { type: 'payment', method: 'WT_RUB_C2C', currency: 'RUB', priority: 1 } as const;
    const rest = { requires_receipt: false, commission: { percent: '1', fixed: '0.00' } };
    expect(skip({ ...full, ...rest, ...route })).toBe(why);
    expect(skip({ ...full, ...rest, provider: 'sandbox' })).toBeUndefined();
  });
});
