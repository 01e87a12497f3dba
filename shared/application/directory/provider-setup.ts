import {
  evolveAccounts,
  noAccounts,
  type ProviderAccounts,
} from '#shared/domain/provider/accounts.ts';
import {
  allSwitchedOn,
  evolveSwitches,
  type SwitchedOffProviders,
} from '#shared/domain/provider/switch.ts';
import type { StreamFold, StoredEvent } from '#shared/platform/event-store/index.ts';
import { decodeDirectoryEvent, type DirectoryEvent } from './stream.ts';

/** Providers as operators set them up, at a revision of the directory. */
export type ProviderSetup = {
  revision: number;
  /** The providers that are switched off. */
  off: SwitchedOffProviders;
  accounts: ProviderAccounts;
};

function evolve(
  setup: ProviderSetup,
  event: DirectoryEvent,
  { revision, created, metadata }: Pick<StoredEvent, 'revision' | 'created' | 'metadata'>,
): ProviderSetup {
  const happened = { createdIso: created.toISOString(), actor: metadata.actor };
  if (event.type === 'SetupChanged') return { ...setup, revision };
  if (event.type === 'ProviderSwitchedOff' || event.type === 'ProviderSwitchedOn')
    return { ...setup, revision, off: evolveSwitches(setup.off, event, happened) };
  return { ...setup, revision, accounts: evolveAccounts(setup.accounts, event, happened) };
}

/** How the directory's stream is folded to switch a provider or set up an account. */
export const providerSetup: StreamFold<ProviderSetup, DirectoryEvent> = {
  initial: { revision: -1, off: allSwitchedOn, accounts: noAccounts },
  decode: decodeDirectoryEvent,
  evolve,
};
