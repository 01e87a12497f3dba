import type { ProviderAccount } from '#shared/domain/provider/accounts.ts';
import type { SwitchedOff } from '#shared/domain/provider/switch.ts';
import { KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import type { AdminDependencies } from '../dependencies.ts';

export type AccountState = 'on' | 'off' | 'removed';

export const accountState = ({ off, removed }: ProviderAccount): AccountState =>
  removed ? 'removed' : off ? 'off' : 'on';

/** Whether this service can open the credentials. */
export function canOpenCredentials(
  { credentialKeys }: Pick<AdminDependencies, 'credentialKeys'>,
  stored: ProviderAccount,
): boolean {
  try {
    credentialKeys.open(stored, stored.credentials);
    return true;
  } catch (error) {
    if (error instanceof KeyUnreadable) return false;
    throw error;
  }
}

/** An account as the API shows it: of its credentials only what identifies them. */
export function viewAccount(
  dependencies: Pick<AdminDependencies, 'credentialKeys'>,
  stored: ProviderAccount,
) {
  const { provider, account, label, credentials, previous, version, added, changed, off, removed } =
    stored;
  return {
    provider,
    account,
    label,
    state: accountState(stored),
    switched_off: viewStopped(off),
    removed: viewStopped(removed),
    added: viewChange(added),
    credentials: {
      version,
      fingerprint: credentials.fingerprint,
      ...viewChange(changed),
      previous_valid_until: previous?.until ?? null,
      readable: canOpenCredentials(dependencies, stored),
      sealed_as_now: dependencies.credentialKeys.isSealedAsNow(credentials),
    },
    callback_path: callbackPath(stored),
  };
}

/** The path for the provider's callbacks about the account. */
export const callbackPath = ({
  provider,
  account,
}: Pick<ProviderAccount, 'provider' | 'account'>): string => `/callbacks/${provider}/${account}`;

const viewChange = ({ by, at }: ProviderAccount['added']) => ({
  by: by.replace(/^operator:/, ''),
  at,
});
const viewStopped = (stopped: SwitchedOff | undefined) =>
  stopped ? { ...stopped, by: stopped.by.replace(/^operator:/, '') } : null;
