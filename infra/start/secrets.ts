import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateJson, writePrivateJson } from '../stores/private-json.ts';

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
  /** The gateway's key for the sandbox provider. */
  SANDBOX_API_KEY: () => randomBytes(32).toString('base64url'),
  /** What the gateway shows the sandbox's bank. */
  BANK_KEY: () => randomBytes(32).toString('base64url'),
  /** Signs the sandbox provider's callbacks. */
  SANDBOX_CALLBACK_SECRET: () => `whsec_${randomBytes(32).toString('base64')}`,
} as const satisfies Record<string, () => string>;

type SecretName = keyof typeof generators;
export const secretNames = Object.keys(generators) as SecretName[];

export type Secrets = {
  readonly values: Readonly<Record<SecretName, string>>;
  /** The secrets that this call has made. */
  readonly generated: readonly SecretName[];
};

/** Where generated secrets are stored. */
export const secretsFile = (dataDir: string): string => join(dataDir, 'secrets.json');

/** With those of another version, which are kept. */
const storedSchema = z.record(z.string(), z.string());

/** Each secret: from the environment, else from DATA_DIR, else a new one that is stored there. */
export function loadSecrets(dataDir: string, env: NodeJS.ProcessEnv): Secrets {
  const file = secretsFile(dataDir);
  const stored = readPrivateJson(file, storedSchema) ?? {};
  const missing = secretNames.filter((name) => !env[name] && !stored[name]);
  for (const name of missing) stored[name] = generators[name]();
  if (missing.length > 0) writePrivateJson(file, stored);
  const values = Object.fromEntries(secretNames.map((name) => [name, env[name] || stored[name]]));
  return { values: values as Record<SecretName, string>, generated: missing };
}
