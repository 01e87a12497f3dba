import { noAccounts } from '#shared/domain/provider/accounts.ts';
import { allSwitchedOn } from '#shared/domain/provider/switch.ts';
import type { Config } from '#shared/platform/config/load.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import {
  createAccountConnectors,
  type AccountConnectors,
  type ProviderKind,
} from './accounts/connectors.ts';
import { byRoute } from './accounts/connector-by-route.ts';
import type { CredentialKeys } from './accounts/credential-keys.ts';
import { createBankConnector } from '#examples/bank/connector/connector.ts';
import { bankCredentials } from '#examples/bank/connector/credentials.ts';
import type { ProviderConnector, Providers } from './connector.ts';
import { credentialsForms } from './credentials-forms.ts';
import { providerNames } from './names.ts';
import { createProviderMetrics } from './observe.ts';
import { createSandboxConnector } from './sandbox/connector.ts';
import { sandboxCredentials } from './sandbox/credentials.ts';

const bankVariables = [
  'BANK_URL',
  'BANK_ACCOUNT',
  'BANK_KEY',
  'BANK_ARRIVAL_MS',
  'BANK_CLOCK_SKEW_MS',
] as const;
/** The variables that `createProviders` needs. */
export const providerVariables = ['SANDBOX_URL', 'SANDBOX_API_KEY', ...bankVariables] as const;
/** The variables for reading callbacks; without them it accepts none. */
export const callbackVariables = [
  'SANDBOX_CALLBACK_SECRET',
  'SANDBOX_CALLBACK_SECRET_PREVIOUS',
] as const;
type ProviderConfig = Config<'SANDBOX_URL' | 'SANDBOX_API_KEY'> &
  Partial<Config<(typeof callbackVariables | typeof bankVariables)[number]>>;

type ProviderOptions = {
  /** With it calls are counted. */
  metrics?: Metrics;
  /**
   * The accounts that operators set up, and the keys that open their credentials; without it there
   * are none.
   */
  accounts?: {
    directory: Pick<Directory, 'providers'>;
    credentialKeys: Pick<CredentialKeys, 'open'>;
  };
};

export type BuiltProviders = {
  /** Connectors that use the account of an attempt's route. */
  providers: Providers;
  /** Connectors for calls that belong to an account rather than to an attempt. */
  accounts: AccountConnectors;
  close(): Promise<void>;
};

/**
 * Every connector by the name that routes use; see docs/developers/connectors.md for how to add
 * one.
 */
export function createProviders(
  config: ProviderConfig,
  logger: Logger,
  { metrics, accounts: setup }: ProviderOptions = {},
): BuiltProviders {
  const kindOf: Record<(typeof providerNames)[number], ProviderKind | undefined> = {
    sandbox: createSandboxKind(config, logger),
    bank: createBankKind(config, logger),
  };
  // A provider without a URL is left out.
  const configured = providerNames.flatMap((name) => {
    const kind = kindOf[name];
    return kind ? [[name, kind] as const] : [];
  });
  const kinds = new Map<string, ProviderKind>(configured);
  const accounts = createAccountConnectors({ kinds, logger, ...(setup ?? emptySetup) });
  const observed = metrics
    ? createProviderMetrics(metrics)
    : (connector: ProviderConnector) => connector;
  const providers = new Map<string, ProviderConnector>();
  const close: (() => Promise<void>)[] = [accounts.close];
  for (const [name, kind] of configured) {
    // The declared properties do not depend on the credentials.
    const declared =
      kind.byEnvironment ?? kind.connect({ current: credentialsForms[name].example });
    close.push(declared.close);
    providers.set(name, observed(byRoute(declared.connector, accounts, kind.byEnvironment)));
  }
  return {
    providers,
    accounts,
    close: async () => void (await Promise.all(close.map((each) => each()))),
  };
}

const emptySetup: Required<ProviderOptions>['accounts'] = {
  directory: {
    providers: async () => ({ revision: -1, off: allSwitchedOn, accounts: noAccounts }),
  },
  credentialKeys: {
    open: () => {
      throw new Error('there are no accounts');
    },
  },
};

/** A process that reads no callbacks has no callback secret. */
const sandboxCredentialsSchema = sandboxCredentials.schema.partial({ callback_secret: true });

function createSandboxKind(config: ProviderConfig, logger: Logger): ProviderKind {
  const connect = (apiKey: string, ...secrets: (string | undefined)[]) => {
    const callbackSecrets = secrets.filter((secret) => secret !== undefined);
    return createSandboxConnector({ url: config.SANDBOX_URL, apiKey, callbackSecrets, logger });
  };
  return {
    connect: ({ current, previous }) => {
      const { api_key, callback_secret } = sandboxCredentialsSchema.parse(current);
      return connect(api_key, callback_secret, previous?.['callback_secret']);
    },
    byEnvironment: connect(
      config.SANDBOX_API_KEY,
      config.SANDBOX_CALLBACK_SECRET,
      config.SANDBOX_CALLBACK_SECRET_PREVIOUS,
    ),
  };
}

/**
 * The bank exists if its URL is set; the environment's account also needs its number and key.
 */
function createBankKind(config: ProviderConfig, logger: Logger): ProviderKind | undefined {
  const { BANK_URL: url, BANK_ARRIVAL_MS: arrivalMs, BANK_CLOCK_SKEW_MS: clockSkewMs } = config;
  const { BANK_ACCOUNT: account, BANK_KEY: key } = config;
  if (url === undefined || arrivalMs === undefined) return undefined;
  const connect = (credentials: { account: string; key: string }) =>
    createBankConnector({ url, arrivalMs, clockSkewMs, logger, ...credentials });
  return {
    connect: ({ current }) => connect(bankCredentials.schema.parse(current)),
    byEnvironment:
      account !== undefined && key !== undefined ? connect({ account, key }) : undefined,
  };
}
