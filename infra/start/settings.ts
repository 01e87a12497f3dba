import { createRequire } from 'node:module';
import { ConfigError, loadConfig, type Config } from '#shared/platform/config/load.ts';
import { variables, type VariableName } from '#shared/platform/config/variables.ts';
import { commonName } from '#shared/platform/event-store/signature.ts';
import { natsConnectionOptions } from '#shared/platform/nats/connection-options.ts';
import {
  callbackKeyVariables,
  createCredentialKeys,
  credentialVariables,
} from '#shared/application/providers/accounts/credential-keys.ts';
import { receiptStoreProblems, receiptStoreVariables } from '#shared/application/receipts/store.ts';
import { secretNames } from './secrets.ts';
import { services } from './services.ts';

type ConnectionStrings = typeof import('#shared/platform/event-store/connection-string.ts');

const require = createRequire(import.meta.url);

export const userPorts = [
  'GATEWAY_PORT',
  'ADMIN_PORT',
  'PAY_PORT',
  'PORTAL_PORT',
  'SANDBOX_PORT',
] as const;

/** Of other variables that are not set, the supervisor chooses the value, or their process does. */
const withDefault = [
  'NODE_ENV',
  'LOG_LEVEL',
  'DATA_DIR',
  'DEMO',
  'LISTEN_HOST',
  ...userPorts,
  'SANDBOX',
  'SANDBOX_LISTEN_HOST',
] as const satisfies readonly VariableName[];

export type Settings = Config<(typeof withDefault)[number]> & Partial<Config<VariableName>>;

const all = Object.keys(variables) as VariableName[];

/**
 * The environment of a whole stack (R19.1), of every process in it.
 * @throws ConfigError that names every bad variable at once; in production also every secret that
 *   is not set
 */
export function loadSettings(env: NodeJS.ProcessEnv): Settings {
  const production = env['NODE_ENV'] === 'production';
  const isSet = (name: VariableName) => env[name] !== undefined && env[name] !== '';
  // Without a bank no key for one is needed.
  const needed = secretNames.filter((name) => name !== 'BANK_KEY' || isSet('BANK_URL'));
  const required = needed.filter((name) => production && !isSet(name));
  const names = new Set([...withDefault, ...all.filter(isSet), ...required]);
  const problems: string[] = [];
  let settings: Settings | undefined;
  try {
    settings = loadConfig([...names], env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
  }
  problems.push(...contradictions(env));
  if (settings === undefined || problems.length > 0) throw new ConfigError(problems);
  // A demo merchant does not belong in a real log, and its webhook goes to a private address.
  return production ? { ...settings, DEMO: false } : settings;
}

/** In production the sandbox, which moves no real money, starts only if SANDBOX is set. */
export const startsSandbox = ({ NODE_ENV, SANDBOX }: Settings): boolean =>
  NODE_ENV !== 'production' || SANDBOX;

/**
 * In production each service has its own process with its own secrets, unless configured otherwise.
 */
export const isTogether = ({ NODE_ENV, PROCESSES }: Settings): boolean =>
  PROCESSES === undefined ? NODE_ENV !== 'production' : PROCESSES === 'together';

/** Problems that appear only when variables are compared. */
function contradictions(env: NodeJS.ProcessEnv): string[] {
  const problems: string[] = [];
  const ports = loadable(userPorts, env);
  for (const [index, name] of userPorts.entries()) {
    const same = userPorts
      .slice(0, index)
      .find((other) => ports[other] && ports[other] === ports[name]);
    if (same !== undefined) problems.push(`${name}: must differ from ${same}`);
  }
  problems.push(...receiptStoreProblems(loadable(receiptStoreVariables, env)), ...keyProblems(env));
  problems.push(...logKeyProblems(env), ...eventStoreProblems(env));
  if (env['NATS_URL']) {
    try {
      natsConnectionOptions(env['NATS_URL']);
    } catch (error) {
      problems.push((error as Error).message.replace('NATS_URL', 'NATS_URL:'));
    }
  }
  return problems;
}

/** What the client of the services would refuse. It is loaded only if needed: that takes 0.2 s. */
function eventStoreProblems(env: NodeJS.ProcessEnv): readonly string[] {
  const { EVENT_STORE_URL: url } = loadable(['EVENT_STORE_URL'], env);
  if (url === undefined) return [];
  const module = '#shared/platform/event-store/connection-string.ts';
  const { parseConnectionString } = require(module) as ConnectionStrings;
  return problemsIn(() => parseConnectionString(url));
}

function problemsIn(check: () => unknown): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    // By its name, because a module that is required is not the one that is imported under test.
    if ((error as Error).name !== 'ConfigError') throw error;
    return (error as ConfigError).problems;
  }
}

/** A service with two equal keys would refuse to start. */
function keyProblems(env: NodeJS.ProcessEnv): readonly string[] {
  const loaded = loadable([...credentialVariables, ...callbackKeyVariables], env);
  const { PERSONAL_DATA_KEY: personal, PROVIDER_CREDENTIALS_KEY: credentials } = loaded;
  if (personal === undefined || credentials === undefined) return [];
  return problemsIn(() =>
    createCredentialKeys({
      ...loaded,
      PERSONAL_DATA_KEY: personal,
      PERSONAL_DATA_KEY_PREVIOUS: loaded.PERSONAL_DATA_KEY_PREVIOUS ?? [],
      PROVIDER_CREDENTIALS_KEY: credentials,
      PROVIDER_CREDENTIALS_KEY_PREVIOUS: loaded.PROVIDER_CREDENTIALS_KEY_PREVIOUS ?? [],
    }),
  );
}

/** A service without a key of its own would refuse to start. */
function logKeyProblems(env: NodeJS.ProcessEnv): readonly string[] {
  const { LOG_SIGNING_KEYS: keys } = loadable(['LOG_SIGNING_KEYS'], env);
  if (!keys) return [];
  const signing = services.filter(({ secrets }) => secrets.includes('LOG_SIGNING_KEYS'));
  const names = [...signing.map(({ name }) => name), commonName];
  return [...names, ...(env['AUDIT_EVERY_S'] ? ['audit'] : [])]
    .filter((name) => !hasKey(keys, name))
    .map((name) => `LOG_SIGNING_KEYS: has no key of ${name}`);
}

const hasKey = (keys: readonly { service: string }[], name: string): boolean =>
  keys.some(({ service }) => service === name);

/** The valid ones among these variables; the others are left out. */
function loadable<Name extends VariableName>(names: readonly Name[], env: NodeJS.ProcessEnv) {
  const values: Partial<Config<Name>> = {};
  for (const name of names) {
    const parsed = variables[name].safeParse(env[name] || undefined);
    // The caller reports the invalid ones, with all others.
    if (parsed.success) Object.assign(values, { [name]: parsed.data });
  }
  return values;
}
