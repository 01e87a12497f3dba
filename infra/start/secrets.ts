import { randomBytes } from 'node:crypto';
import { writePrivateJson } from '../stores/private-json.ts';
import { readSecretsFile, secretsFile } from '../stores/secrets-file.ts';
import { signingServices } from './services.ts';

const generators = {
  ADMIN_TOKEN: () => `adm_${randomBytes(30).toString('base64url')}`,
  RECEIPT_URL_SECRET: () => randomBytes(32).toString('base64url'),
  /** The master key of personal data, which is lost without it. */
  PERSONAL_DATA_KEY: () => randomBytes(32).toString('base64url'),
  /** Seals the credentials of accounts with providers, which are lost without it. */
  PROVIDER_CREDENTIALS_KEY: () => randomBytes(32).toString('base64url'),
  /** Seals the secrets of callbacks to these accounts. */
  PROVIDER_CALLBACKS_KEY: () => randomBytes(32).toString('base64url'),
  /** Signs the trees of merchants' ledger entries: a new one must be announced to merchants. */
  CHECKPOINT_SIGNING_KEY: () => randomBytes(32).toString('base64url'),
  /** Sign what is appended to the log: the audit needs them. */
  LOG_SIGNING_KEYS: () => makeLogKeys(),
  /** The gateway's key for the sandbox provider. */
  SANDBOX_API_KEY: () => randomBytes(32).toString('base64url'),
  /** What the gateway shows the sandbox's bank. */
  BANK_KEY: () => randomBytes(32).toString('base64url'),
  /** Signs the sandbox provider's callbacks. */
  SANDBOX_CALLBACK_SECRET: () => `whsec_${randomBytes(32).toString('base64')}`,
} as const satisfies Record<string, () => string>;

/** @param earlier the keys that there are: an older version had fewer */
export function makeLogKeys(earlier = ''): string {
  const pairs = earlier.split(',').filter((pair) => pair !== '');
  const missing = signingServices.filter(
    (name) => !pairs.some((pair) => pair.startsWith(`${name}=`)),
  );
  const made = missing.map((name) => `${name}=${randomBytes(32).toString('base64url')}`);
  return [...pairs, ...made].join(',');
}

type SecretName = keyof typeof generators;
export const secretNames = Object.keys(generators) as SecretName[];

export type StackSecrets = {
  readonly values: Readonly<Record<SecretName, string>>;
  /** The secrets that this call has made. */
  readonly generated: readonly SecretName[];
};

/** Each secret: from the environment, else from DATA_DIR, else a new one that is stored there. */
export function loadSecrets(dataDir: string, env: NodeJS.ProcessEnv): StackSecrets {
  const stored = readSecretsFile(dataDir);
  const missing = secretNames.filter((name) => !env[name] && !stored[name]);
  const logKeys = stored['LOG_SIGNING_KEYS'];
  for (const name of missing) stored[name] = generators[name]();
  if (logKeys) stored['LOG_SIGNING_KEYS'] = makeLogKeys(logKeys);
  if (missing.length > 0 || stored['LOG_SIGNING_KEYS'] !== logKeys)
    writePrivateJson(secretsFile(dataDir), stored);
  const values = Object.fromEntries(secretNames.map((name) => [name, env[name] || stored[name]]));
  return { values: values as Record<SecretName, string>, generated: missing };
}
