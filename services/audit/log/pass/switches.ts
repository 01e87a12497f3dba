import { graceMs } from '../../authority/commands.ts';
import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import type { ProviderAccountEvent, ProviderSwitchEvent } from '#shared/domain/provider/events.ts';

type Route = { provider: string; account?: string | undefined };

/** Which providers and provider accounts were switched off, by position of the log. */
export type Switches = {
  take(event: ProviderSwitchEvent | ProviderAccountEvent, atMs: number): void;
  /** Since when the provider was off, if no attempt could be started with it any more. */
  offBefore(provider: string, atMs: number): string | undefined;
  /** Whether a process may have known the provider as off, or the route's account as closed. */
  mayBeOff(route: Route, of: { what: 'provider' | 'account'; atMs: number }): boolean;
  /** Why no attempt could be started any more with a route's account. */
  whyNotAccount(route: Route, atMs: number): string | undefined;
};

/**
 * A create that decided before the switch may append this much later (R7.14): the directory's
 * lease, two writes of its step at their time limits, and the time in between.
 */
const allowedMs = 250 + 2 * 5_000 + 2_000;

export function createSwitches(): Switches {
  const offSince = new Map<string, number>();
  const onSince = new Map<string, number>();
  const added = new Set<string>();
  const before = (name: string, atMs: number) => {
    const since = offSince.get(name);
    return since !== undefined && atMs > since + allowedMs
      ? new Date(since).toISOString()
      : undefined;
  };
  return {
    take: ({ type, data }, atMs) => {
      const name = 'account' in data ? routeAccountKey(data) : data.provider;
      switch (type) {
        case 'ProviderAccountAdded':
          added.add(name);
          onSince.set(name, atMs);
          break;
        case 'ProviderSwitchedOn':
        case 'ProviderAccountSwitchedOn':
          if (offSince.delete(name)) onSince.set(name, atMs);
          break;
        case 'ProviderSwitchedOff':
        case 'ProviderAccountSwitchedOff':
        case 'ProviderAccountRemoved':
          if (!offSince.has(name)) offSince.set(name, atMs);
          break;
        case 'ProviderAccountRenamed':
        case 'ProviderAccountCredentialsReplaced':
      }
    },
    offBefore: before,
    mayBeOff: (route, { what, atMs }) => {
      const name = what === 'provider' ? route.provider : routeAccountKey(route);
      const isUnknown = what === 'account' && isOwn(route) && !added.has(name);
      return isUnknown || offSince.has(name) || (onSince.get(name) ?? -Infinity) + graceMs >= atMs;
    },
    whyNotAccount: (route, atMs) => {
      if (!isOwn(route)) return undefined;
      const name = routeAccountKey(route);
      if (!added.has(name)) return 'the account does not exist';
      const since = before(name, atMs);
      return since === undefined ? undefined : `it is switched off since ${since}`;
    },
  };
}

const isOwn = ({ account }: Route): boolean => account !== undefined && account !== defaultAccount;

const routeAccountKey = ({ provider, account }: Route): string => `${provider}/${account}`;
