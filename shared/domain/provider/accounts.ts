import { dayMs } from '#shared/domain/day.ts';
import type { ProviderAccountEvent, SealedCredentials } from './events.ts';
import type { SwitchedOff } from './switch.ts';

/** The prefix of `sealed` if the number of the credentials is sealed in. */
export const numberedForm = 'v2.';
/**
 * The prefix if secrets of callbacks are sealed separately by their own key, with the number sealed
 * in too.
 */
export const apartForm = 'v3.';

export type StoredCredentials = SealedCredentials & {
  /** The number that they must open with; absent: it was not sealed in then. */
  number?: number;
  /** Secrets of callbacks must be sealed separately; absent: they were not then. */
  apart?: true;
};

/**
 * The previous credentials, against which signed callbacks are still verified until a time, because
 * some are in flight.
 */
export type PreviousCredentials = { credentials: StoredCredentials; until: string };

type Change = { by: string; at: string };

/** An account with a provider, as operators set it up. */
export type ProviderAccount = {
  provider: string;
  account: string;
  label: string;
  credentials: StoredCredentials;
  previous?: PreviousCredentials;
  /** From 1: of which credentials these are. */
  version: number;
  added: Change;
  /** When the current credentials were set, and by whom. */
  changed: Change;
  off?: SwitchedOff;
  /** It takes nothing new for good. Open operations are still polled with its credentials. */
  removed?: SwitchedOff;
};

/** All accounts by `accountKey`, with those that were removed. */
export type ProviderAccounts = ReadonlyMap<string, ProviderAccount>;

export const noAccounts: ProviderAccounts = new Map();

/** The most accounts of a provider, removed ones included. */
export const mostAccounts = 200;

export const accountKey = (provider: string, account: string): string => `${provider}/${account}`;

/**
 * The name of the account of the environment, which is also that of routes and attempts without
 * one.
 */
export const defaultAccount = 'default';

/** What of a route leads to an account. */
type AccountRef = { provider: string; account?: string | undefined };

/** The account of a route. */
export const providerAccount = ({ account }: Pick<AccountRef, 'account'>): string =>
  account ?? defaultAccount;

/** The name as it is written: the environment's account has none. Older events may name it. */
export function withoutDefault<Route extends { account?: string | undefined }>(
  route: Route,
): Route {
  if (route.account !== defaultAccount) return route;
  const { account: _, ...unnamed } = route;
  return unnamed as Route;
}

/** Whether something new may be submitted with the account; that of the environment always may. */
export function isAccountOpen(accounts: ProviderAccounts, route: AccountRef): boolean {
  if (providerAccount(route) === defaultAccount) return true;
  const account = accounts.get(accountKey(route.provider, providerAccount(route)));
  return account !== undefined && account.off === undefined && account.removed === undefined;
}

/** The accounts after one more event, with its time and actor. */
export function evolveAccounts(
  accounts: ProviderAccounts,
  event: ProviderAccountEvent,
  { createdIso, actor }: { createdIso: string; actor: string },
): ProviderAccounts {
  const { provider, account } = event.data;
  const key = accountKey(provider, account);
  const change: Change = { by: actor, at: createdIso };
  const next = new Map(accounts);
  if (event.type === 'ProviderAccountAdded') {
    const { label } = event.data;
    const credentials = toStoredCredentials(accounts, event.data.credentials, 1);
    next.set(key, {
      provider,
      account,
      label,
      credentials,
      version: 1,
      added: change,
      changed: change,
    });
    return next;
  }
  const existing = accounts.get(key);
  if (!existing) return accounts;
  const credentials =
    'credentials' in event.data
      ? toStoredCredentials(accounts, event.data.credentials, existing.version + 1)
      : existing.credentials;
  next.set(key, changed(existing, event, { change, credentials }));
  return next;
}

/**
 * Credentials are identified by their position, not by their content. After the first ones that are
 * sealed in a newer form, of any account, all have to be: every writer then uses that form.
 */
function toStoredCredentials(
  accounts: ProviderAccounts,
  credentials: SealedCredentials,
  number: number,
): StoredCredentials {
  const before = [...accounts.values()].map((each) => each.credentials);
  if (credentials.sealed.startsWith(apartForm) || before.some(({ apart }) => apart))
    return { ...credentials, number, apart: true };
  const isNumbered =
    credentials.sealed.startsWith(numberedForm) || before.some((each) => each.number !== undefined);
  return isNumbered ? { ...credentials, number } : credentials;
}

/** The number of the credentials that are about to be sealed. */
export const nextNumber = (
  accounts: ProviderAccounts,
  { provider, account }: { provider: string; account: string },
): number => (accounts.get(accountKey(provider, account))?.version ?? 0) + 1;

function changed(
  existing: ProviderAccount,
  event: Exclude<ProviderAccountEvent, { type: 'ProviderAccountAdded' }>,
  { change, credentials }: { change: Change; credentials: StoredCredentials },
): ProviderAccount {
  switch (event.type) {
    case 'ProviderAccountCredentialsReplaced': {
      const { previous_valid_until: until } = event.data;
      const { previous: _, ...rest } = existing;
      const version = existing.version + 1;
      return {
        ...rest,
        credentials,
        ...(until !== undefined && { previous: { credentials: existing.credentials, until } }),
        version,
        changed: change,
      };
    }
    case 'ProviderAccountRenamed':
      return { ...existing, label: event.data.label };
    case 'ProviderAccountSwitchedOff':
      return { ...existing, off: stopped(event.data.reason, change) };
    case 'ProviderAccountSwitchedOn': {
      const { off: _, ...rest } = existing;
      return rest;
    }
    case 'ProviderAccountRemoved':
      return { ...existing, removed: stopped(event.data.reason, change) };
  }
}

const stopped = (reason: string, { by, at }: Change): SwitchedOff => ({ reason, by, since: at });

export type AccountRefusal =
  | 'not_found'
  /**
   * Refuses the name of the environment's account, and one that was used before: attempts of that
   * time would be polled at the wrong account.
   */
  | 'name_taken'
  | 'too_many'
  /** Only an account that is switched off can be removed, because routes skip it already. */
  | 'not_switched_off';

export type AccountDecision = { events: ProviderAccountEvent[] } | { refusal: AccountRefusal };

type AccountName = { provider: string; account: string };
const refuse = (refusal: AccountRefusal): AccountDecision => ({ refusal });
const nothing: AccountDecision = { events: [] };

/** A repeat adds no event: a caller without an answer repeats the command. */
export function addAccount(
  accounts: ProviderAccounts,
  {
    provider,
    account,
    label,
    credentials,
  }: AccountName & { label: string; credentials: SealedCredentials },
): AccountDecision {
  if (account === defaultAccount) return refuse('name_taken');
  const existing = accounts.get(accountKey(provider, account));
  if (existing) {
    const same =
      existing.label === label &&
      !existing.removed &&
      existing.credentials.fingerprint === credentials.fingerprint;
    return same ? nothing : refuse('name_taken');
  }
  const ofProvider = [...accounts.values()].filter((each) => each.provider === provider);
  if (ofProvider.length >= mostAccounts) return refuse('too_many');
  return {
    events: [{ type: 'ProviderAccountAdded', data: { provider, account, label, credentials } }],
  };
}

/**
 * How long signatures by replaced credentials are accepted: callbacks may be under way for a day.
 */
export const previousValidMs = dayMs;

/**
 * Allowed for a removed account too: open operations are polled with them, and callbacks are
 * verified against them.
 */
export function replaceCredentials(
  accounts: ProviderAccounts,
  {
    provider,
    account,
    credentials,
    previousValidUntil,
  }: AccountName & { credentials: SealedCredentials; previousValidUntil?: string | undefined },
): AccountDecision {
  const existing = accounts.get(accountKey(provider, account));
  if (!existing) return refuse('not_found');
  const same = existing.credentials.fingerprint === credentials.fingerprint;
  // A repeat that drops the previous ones does so.
  if (same && (previousValidUntil !== undefined || !existing.previous)) return nothing;
  const until =
    previousValidUntil === undefined ? {} : { previous_valid_until: previousValidUntil };
  const data = { provider, account, credentials, ...until };
  return { events: [{ type: 'ProviderAccountCredentialsReplaced', data }] };
}

export function renameAccount(
  accounts: ProviderAccounts,
  { provider, account, label }: AccountName & { label: string },
): AccountDecision {
  const existing = present(accounts, { provider, account });
  if (!existing) return refuse('not_found');
  if (existing.label === label) return nothing;
  return { events: [{ type: 'ProviderAccountRenamed', data: { provider, account, label } }] };
}

/** Switching to the current state adds no event: the first reason stays. */
export function switchAccount(
  accounts: ProviderAccounts,
  { provider, account, to, reason }: AccountName & { to: 'on' | 'off'; reason: string },
): AccountDecision {
  const existing = present(accounts, { provider, account });
  if (!existing) return refuse('not_found');
  if ((existing.off !== undefined) === (to === 'off')) return nothing;
  const type = to === 'off' ? 'ProviderAccountSwitchedOff' : 'ProviderAccountSwitchedOn';
  return { events: [{ type, data: { provider, account, reason } }] };
}

export function removeAccount(
  accounts: ProviderAccounts,
  { provider, account, reason }: AccountName & { reason: string },
): AccountDecision {
  const existing = accounts.get(accountKey(provider, account));
  if (!existing) return refuse('not_found');
  if (existing.removed) return nothing;
  if (!existing.off) return refuse('not_switched_off');
  return { events: [{ type: 'ProviderAccountRemoved', data: { provider, account, reason } }] };
}

function present(
  accounts: ProviderAccounts,
  { provider, account }: AccountName,
): ProviderAccount | undefined {
  const existing = accounts.get(accountKey(provider, account));
  return existing?.removed ? undefined : existing;
}
