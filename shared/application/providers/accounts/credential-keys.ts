import {
  accountKey,
  apartForm,
  numberedForm,
  type StoredCredentials,
} from '#shared/domain/provider/accounts.ts';
import type { SealedCredentials } from '#shared/domain/provider/events.ts';
import {
  createKeyRing,
  KeyUnreadable,
  type KeyRing,
} from '#shared/application/personal-data/key-ring.ts';
import {
  personalDataRing,
  personalDataVariables,
  type PersonalDataConfig,
} from '#shared/application/personal-data/master-keys.ts';
import { ConfigError, type Config } from '#shared/platform/config/load.ts';
import { credentialsForms } from '../credentials-forms.ts';
import { credentialsIn, credentialsText, type Credentials } from './credentials.ts';

/** The variables that `createCredentialKeys` needs. */
export const credentialVariables = [
  'PROVIDER_CREDENTIALS_KEY',
  'PROVIDER_CREDENTIALS_KEY_PREVIOUS',
  ...personalDataVariables,
] as const;
/**
 * The variables for secrets of callbacks; without them it opens none, and seals no credentials that
 * have one.
 */
export const callbackKeyVariables = [
  'PROVIDER_CALLBACKS_KEY',
  'PROVIDER_CALLBACKS_KEY_PREVIOUS',
] as const;
type KeyConfig = PersonalDataConfig &
  Config<(typeof credentialVariables)[number]> &
  Partial<Config<(typeof callbackKeyVariables)[number]>>;

type Of = { provider: string; account: string };

/** Seals and opens credentials of accounts. A process that calls no provider has none. */
export type CredentialKeys = {
  /**
   * For one account, as its version `number`: moved to the event of another account or version,
   * they can't be opened.
   */
  seal(of: Of & { number: number }, credentials: Credentials): SealedCredentials;
  /**
   * Opens all of them; without the secrets of callbacks if the process has no key for these.
   * @throws KeyUnreadable when they were sealed with an unknown key, altered or moved
   */
  open(of: Of, stored: StoredCredentials): Credentials;
  /** Whether they are sealed in the current form, with the current keys. */
  isSealedAsNow(stored: StoredCredentials): boolean;
};

type Rings = {
  /** The key of personal data, which sealed credentials before they had a key of their own. */
  before: KeyRing;
  ring: KeyRing;
  callbacks: KeyRing | undefined;
};

const about = ({ provider, account }: Of) => `provider-account ${accountKey(provider, account)}`;
const aboutNumber = (of: Of, number: number) => `${about(of)} credentials ${number}`;
const aboutCallbacks = (of: Of, number: number) => `${about(of)} callbacks ${number}`;

/**
 * Secrets of callbacks are sealed separately, with a key that only the processes that read
 * callbacks or set up accounts have. Earlier they were sealed together with the other credentials,
 * and before that everything was sealed with the key of personal data. These two forms are opened
 * only at the positions where they were written, so that someone with an older key can't replace
 * newer secrets.
 * @throws ConfigError if two of the keys are the same
 */
export function createCredentialKeys(config: KeyConfig): CredentialKeys {
  const rings = createRings(config);
  return {
    seal: (of, credentials) => sealApart(rings, of, credentials),
    open: (of, { number, apart, master_key_id: id, sealed }) => {
      if (number === undefined)
        return credentialsIn(rings.before.open({ id, sealed }, about(of)).toString());
      const form = apart ? apartForm : numberedForm;
      if (!sealed.startsWith(form))
        throw new KeyUnreadable(`${about(of)} is not sealed as its others`);
      const text = sealed.slice(form.length);
      if (apart) return openApart(rings, { ...of, number }, { id, text });
      return credentialsIn(
        rings.ring.open({ id, sealed: text }, aboutNumber(of, number)).toString(),
      );
    },
    isSealedAsNow: ({ apart, master_key_id: id, sealed }) => {
      if (!apart || id !== rings.ring.currentId) return false;
      const { callbacks } = partsIn(sealed.slice(apartForm.length));
      return !callbacks || callbacks.id === rings.callbacks?.currentId;
    },
  };
}

/**
 * Opens only an account's secrets of callbacks, for processes that verify callbacks and call no
 * provider.
 * @throws KeyUnreadable unless they are sealed separately with a known key
 */
export function createCallbackSecrets(
  current: string,
  previous: readonly string[],
): (of: Of, stored: StoredCredentials) => Credentials {
  const ring = createKeyRing({ current, previous, variable: 'PROVIDER_CALLBACKS_KEY_PREVIOUS' });
  return (of, { number, apart, sealed }) => {
    if (namesOfCallbacks(of).length === 0) return {};
    const { callbacks } = partsIn(
      sealed.startsWith(apartForm) ? sealed.slice(apartForm.length) : '',
    );
    if (number === undefined || !apart || !callbacks)
      throw new KeyUnreadable(`${about(of)} has no secret of callbacks that is sealed apart`);
    const opened = ring.open(callbacks, aboutCallbacks(of, number));
    return split(of, credentialsIn(opened.toString())).ofCallbacks;
  };
}

function createRings(config: KeyConfig): Rings {
  const { PROVIDER_CALLBACKS_KEY: callbacksKey } = config;
  const before = personalDataRing(config);
  const ring = createKeyRing({
    current: config.PROVIDER_CREDENTIALS_KEY,
    previous: config.PROVIDER_CREDENTIALS_KEY_PREVIOUS,
    variable: 'PROVIDER_CREDENTIALS_KEY_PREVIOUS',
  });
  const callbacks =
    callbacksKey === undefined
      ? undefined
      : createKeyRing({
          current: callbacksKey,
          previous: config.PROVIDER_CALLBACKS_KEY_PREVIOUS ?? [],
          variable: 'PROVIDER_CALLBACKS_KEY_PREVIOUS',
        });
  const problems = sameKeys([
    ['PERSONAL_DATA_KEY', before],
    ['PROVIDER_CREDENTIALS_KEY', ring],
    ...(callbacks ? [['PROVIDER_CALLBACKS_KEY', callbacks] as const] : []),
  ]);
  if (problems.length > 0) throw new ConfigError(problems);
  return { before, ring, callbacks };
}

/** Who has the one key would have the other. */
const sameKeys = (rings: readonly (readonly [name: string, ring: KeyRing])[]): string[] =>
  rings.flatMap(([name, { ids }], index) =>
    rings
      .slice(0, index)
      .filter(([, earlier]) => earlier.ids.some((id) => ids.includes(id)))
      .map(([earlier]) => `${name}: must be another key than ${earlier}`),
  );

/**
 * Only the key for callbacks can show whether a callback secret is unchanged, so that guesses can't
 * be tested with the other key.
 */
function sealApart(
  { ring, callbacks }: Rings,
  of: Of & { number: number },
  credentials: Credentials,
): SealedCredentials {
  const { own, ofCallbacks } = split(of, credentials);
  const { id, sealed } = ring.seal(Buffer.from(credentialsText(own)), aboutNumber(of, of.number));
  if (Object.keys(ofCallbacks).length === 0)
    return {
      master_key_id: id,
      sealed: `${apartForm}${sealed}`,
      fingerprint: ring.fingerprint(credentialsText(own), about(of)),
    };
  if (!callbacks) throw new Error('secrets of callbacks can not be sealed without their key');
  const text = credentialsText(ofCallbacks);
  const callbackSecret = callbacks.seal(Buffer.from(text), aboutCallbacks(of, of.number));
  const fingerprint = callbacks.fingerprint(text, about(of));
  return {
    master_key_id: id,
    sealed: `${apartForm}${sealed}.${callbackSecret.id}.${callbackSecret.sealed}`,
    fingerprint: ring.fingerprint(`${credentialsText(own)} ${fingerprint}`, about(of)),
  };
}

function openApart(
  { ring, callbacks }: Rings,
  of: Of & { number: number },
  { id, text }: { id: string; text: string },
): Credentials {
  const pieces = partsIn(text);
  const opened = ring.open({ id, sealed: pieces.sealed }, aboutNumber(of, of.number));
  // A callback secret in this part was not sealed by its own key.
  const { own } = split(of, credentialsIn(opened.toString()));
  if (!callbacks) return own;
  if (!pieces.callbacks) {
    if (namesOfCallbacks(of).length === 0) return own;
    throw new KeyUnreadable(`${about(of)} has no secret of callbacks`);
  }
  const callbackSecret = callbacks.open(pieces.callbacks, aboutCallbacks(of, of.number));
  return { ...own, ...split(of, credentialsIn(callbackSecret.toString())).ofCallbacks };
}

/**
 * Joined with dots, which base64url does not have: the sealed credentials, then those of callbacks
 * with their key.
 */
function partsIn(text: string) {
  const [sealed = '', id, ofCallbacks] = text.split('.');
  return {
    sealed,
    ...(id !== undefined &&
      ofCallbacks !== undefined && { callbacks: { id, sealed: ofCallbacks } }),
  };
}

const namesOfCallbacks = ({ provider }: Of): readonly string[] =>
  Object.entries(credentialsForms).find(([name]) => name === provider)?.[1].callbacks ?? [];

function split(of: Of, credentials: Credentials): { own: Credentials; ofCallbacks: Credentials } {
  const names = namesOfCallbacks(of);
  const only = (isNamed: boolean) =>
    Object.fromEntries(
      Object.entries(credentials).filter(([name]) => names.includes(name) === isNamed),
    );
  return { own: only(false), ofCallbacks: only(true) };
}
