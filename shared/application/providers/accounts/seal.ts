import { accountKey } from '#shared/domain/provider/accounts.ts';
import type { SealedCredentials } from '#shared/domain/provider/events.ts';
import type { MasterKeys } from '#shared/application/personal-data/master-keys.ts';
import { credentialsIn, textOf, type Credentials } from './credentials.ts';

type Of = { provider: string; account: string };

/** Sealed for one account: in another's event they do not open. */
const about = ({ provider, account }: Of) => `provider-account ${accountKey(provider, account)}`;

export const sealCredentials = (
  masters: Pick<MasterKeys, 'seal'>,
  of: Of,
  credentials: Credentials,
): SealedCredentials => masters.seal(textOf(credentials), about(of));

/** @throws KeyUnreadable when no master key that is known sealed them, or they were altered or moved */
export const openCredentials = (
  masters: Pick<MasterKeys, 'open'>,
  of: Of,
  sealed: SealedCredentials,
): Credentials => credentialsIn(masters.open(sealed, about(of)));
