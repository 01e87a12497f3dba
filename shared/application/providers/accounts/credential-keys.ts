import { accountKey, numberedForm, type KeptCredentials } from '#shared/domain/provider/accounts.ts';
import type { SealedCredentials } from '#shared/domain/provider/events.ts';
import { createKeyRing, KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import {
  personalDataRing,
  personalDataVariables,
  type PersonalDataConfig,
} from '#shared/application/personal-data/master-keys.ts';
import { ConfigError, type Config } from '#shared/platform/config/load.ts';
import { credentialsIn, textOf, type Credentials } from './credentials.ts';

/** The variables that `createCredentialKeys` needs. */
export const credentialVariables = [
  'PROVIDER_CREDENTIALS_KEY',
  'PROVIDER_CREDENTIALS_KEY_PREVIOUS',
  ...personalDataVariables,
] as const;

type Of = { provider: string; account: string };

/** What seals and opens credentials of accounts. A process that calls no provider has none. */
export type CredentialKeys = {
  /** For one account, as its so many-th: in another's event, or in a later one of its own, they do not open. */
  seal(of: Of & { number: number }, credentials: Credentials): SealedCredentials;
  /** @throws KeyUnreadable when no key that is known sealed them, or they were altered or moved */
  open(of: Of, kept: KeptCredentials): Credentials;
  /** Whether they would be sealed in no other way now. */
  isSealedAsNow(kept: KeptCredentials): boolean;
};

/** Who has the other key would have this one. */
const sameKey = 'PROVIDER_CREDENTIALS_KEY: must be another key than PERSONAL_DATA_KEY';

const about = ({ provider, account }: Of) => `provider-account ${accountKey(provider, account)}`;

/**
 * Before there was a key of their own, credentials were sealed by the key of personal data, for the account alone. These are
 * still opened by it, and nothing else is: who has that key puts nothing into the place of what is sealed by this one.
 * @throws ConfigError where one key is to be both
 */
export function createCredentialKeys(
  config: PersonalDataConfig & Config<(typeof credentialVariables)[number]>,
): CredentialKeys {
  const before = personalDataRing(config);
  const ring = createKeyRing({
    current: config.PROVIDER_CREDENTIALS_KEY,
    previous: config.PROVIDER_CREDENTIALS_KEY_PREVIOUS,
    variable: 'PROVIDER_CREDENTIALS_KEY_PREVIOUS',
  });
  if (ring.ids.some((id) => before.ids.includes(id))) throw new ConfigError([sameKey]);
  return {
    seal: (of, credentials) => {
      const text = textOf(credentials);
      const { id, sealed } = ring.seal(Buffer.from(text), aboutNumber(of, of.number));
      return {
        master_key_id: id,
        sealed: `${numberedForm}${sealed}`,
        fingerprint: ring.fingerprint(text, about(of)),
      };
    },
    open: (of, { number, master_key_id: id, sealed }) => {
      if (number === undefined) return credentialsIn(before.open({ id, sealed }, about(of)).toString());
      if (!sealed.startsWith(numberedForm))
        throw new KeyUnreadable(`${about(of)} is not sealed as its others`);
      const bytes = ring.open({ id, sealed: sealed.slice(numberedForm.length) }, aboutNumber(of, number));
      return credentialsIn(bytes.toString());
    },
    isSealedAsNow: ({ number, master_key_id: id }) => number !== undefined && id === ring.currentId,
  };
}

const aboutNumber = (of: Of, number: number) => `${about(of)} credentials ${number}`;
