import {
  accountKey,
  addAccount,
  nextNumber,
  previousValidMs,
  removeAccount,
  renameAccount,
  replaceCredentials,
  switchAccount,
  type AccountDecision,
  type AccountRefusal,
  type ProviderAccount,
  type ProviderAccounts,
} from '#shared/domain/provider/accounts.ts';
import type { SealedCredentials } from '#shared/domain/provider/events.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import {
  otherIdentity,
  type Credentials,
  type CredentialsForm,
} from '#shared/application/providers/accounts/credentials.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { invalidRequest } from '#shared/platform/http/validate.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { commandProviders, type ProviderPorts } from '../command-providers.ts';
import type { CredentialKeys } from './credential-keys.ts';

type Ports = ProviderPorts & { credentialKeys: Pick<CredentialKeys, 'seal' | 'open'> };
type AccountName = { provider: string; account: string };

/** @throws Problem as `commandProviders`, and for a refusal */
async function commandAccount(
  dependencies: ProviderPorts,
  { provider, account, origin }: AccountName & { origin: Origin },
  decide: (accounts: ProviderAccounts) => AccountDecision,
): Promise<ProviderAccount> {
  const done = await commandProviders<AccountRefusal>(dependencies, origin, ({ accounts }) =>
    decide(accounts),
  );
  if ('refusal' in done) throw refusalProblem(done.refusal);
  return foundIn(done.setup.accounts, { provider, account });
}

export function addProviderAccount(
  dependencies: Ports,
  input: AccountName & { label: string; credentials: Credentials },
  origin: Origin,
): Promise<ProviderAccount> {
  const { provider, account, label } = input;
  const sealed = sealing(dependencies, input);
  return commandAccount(dependencies, { ...input, origin }, (accounts) =>
    addAccount(accounts, { provider, account, label, credentials: sealed(accounts) }),
  );
}

/**
 * Replaces credentials of the same account at the provider. With another account's, the gateway
 * would poll the wrong account about earlier submissions.
 */
export async function replaceProviderCredentials(
  dependencies: Ports,
  input: AccountName & { form: CredentialsForm; credentials: Credentials; revokePrevious: boolean },
  origin: Origin,
): Promise<ProviderAccount> {
  const { provider, account, revokePrevious } = input;
  const existing = await readProviderAccount(dependencies, input);
  const before = opened(dependencies, existing);
  const others = otherIdentity(input.form, { before, after: input.credentials });
  const detail = 'is another account at the provider: add it under a name of its own';
  if (others.length > 0)
    throw invalidRequest(
      others.map((name) => ({ pointer: `/credentials/${name}`, code: 'field_invalid', detail })),
    );
  const sealed = sealing(dependencies, input);
  const until = new Date(Date.now() + previousValidMs).toISOString();
  const previousValidUntil = revokePrevious ? undefined : until;
  return commandAccount(dependencies, { ...input, origin }, (accounts) =>
    replaceCredentials(accounts, {
      provider,
      account,
      credentials: sealed(accounts),
      previousValidUntil,
    }),
  );
}

type AccountCommand = AccountName & { origin: Origin };

export const renameProviderAccount = (
  ports: ProviderPorts,
  command: AccountCommand & { label: string },
): Promise<ProviderAccount> =>
  commandAccount(ports, command, (accounts) => renameAccount(accounts, command));

export const switchProviderAccount = (
  ports: ProviderPorts,
  command: AccountCommand & { to: 'on' | 'off'; reason: string },
): Promise<ProviderAccount> =>
  commandAccount(ports, command, (accounts) => switchAccount(accounts, command));

export const removeProviderAccount = (
  ports: ProviderPorts,
  command: AccountCommand & { reason: string },
): Promise<ProviderAccount> =>
  commandAccount(ports, command, (accounts) => removeAccount(accounts, command));

/** The credentials' number is only known when the command is decided. */
const sealing =
  (
    { credentialKeys }: Pick<Ports, 'credentialKeys'>,
    input: AccountName & { credentials: Credentials },
  ) =>
  (accounts: ProviderAccounts): SealedCredentials =>
    credentialKeys.seal({ ...input, number: nextNumber(accounts, input) }, input.credentials);

/** @throws Problem not_found, not_ready */
export async function readProviderAccount(
  { directory }: Pick<Ports, 'directory'>,
  named: AccountName,
): Promise<ProviderAccount> {
  return foundIn((await fromStore(directory.providers('now'))).accounts, named);
}

function foundIn(accounts: ProviderAccounts, { provider, account }: AccountName): ProviderAccount {
  const existing = accounts.get(accountKey(provider, account));
  if (!existing) throw new Problem('not_found');
  return existing;
}

/** @throws Problem not_ready if no key opens them */
function opened(
  { credentialKeys }: Pick<Ports, 'credentialKeys'>,
  account: ProviderAccount,
): Credentials {
  try {
    return credentialKeys.open(account, account.credentials);
  } catch (cause) {
    if (!(cause instanceof KeyUnreadable)) throw cause;
    const detail = 'no key that this service has opens the credentials of the account';
    throw new Problem('not_ready', { detail, cause });
  }
}

function refusalProblem(refusal: AccountRefusal): Problem {
  const wrongName = (detail: string) =>
    invalidRequest([{ pointer: '/account', code: 'field_invalid', detail }]);
  switch (refusal) {
    case 'not_found':
      return new Problem('not_found');
    case 'name_taken':
      return wrongName('is the name of another account, or was: take another name');
    case 'too_many':
      return wrongName('the provider has as many accounts as it may have');
    case 'not_switched_off':
      return new Problem('account_not_off');
  }
}
