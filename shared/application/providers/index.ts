import type { Config } from '#shared/platform/config/load.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { createBankConnector } from './bank/connector.ts';
import type { ProviderConnector, Providers } from './connector.ts';
import type { providerNames } from './names.ts';
import { createProviderMetrics } from './observe.ts';
import { createSandboxConnector } from './sandbox/connector.ts';

const bankVariables = [
  'BANK_URL',
  'BANK_ACCOUNT',
  'BANK_KEY',
  'BANK_ARRIVAL_MS',
  'BANK_CLOCK_SKEW_MS',
] as const;
/** The variables that `createProviders` needs. */
export const providerVariables = ['SANDBOX_URL', 'SANDBOX_API_KEY', ...bankVariables] as const;
/** Those that it needs to read what providers report; without them it believes no callback. */
export const callbackVariables = ['SANDBOX_CALLBACK_SECRET', 'SANDBOX_CALLBACK_SECRET_PREVIOUS'] as const;
type ProviderConfig = Config<'SANDBOX_URL' | 'SANDBOX_API_KEY'> &
  Partial<Config<(typeof callbackVariables | typeof bankVariables)[number]>>;

/** Every connector by the name that routes use; see docs/developers/connectors.md for how to add one. With `metrics` calls are counted. */
export function createProviders(
  config: ProviderConfig,
  logger: Logger,
  metrics?: Metrics,
): { providers: Providers; close(): Promise<void> } {
  const built: Record<
    (typeof providerNames)[number],
    { connector: ProviderConnector; close(): Promise<void> } | undefined
  > = {
    sandbox: createSandboxConnector({
      url: config.SANDBOX_URL,
      apiKey: config.SANDBOX_API_KEY,
      callbackSecrets: [config.SANDBOX_CALLBACK_SECRET, config.SANDBOX_CALLBACK_SECRET_PREVIOUS].filter(
        (secret) => secret !== undefined,
      ),
      logger,
    }),
    bank: bankOf(config, logger),
  };
  const all = Object.values(built).filter((each) => each !== undefined);
  const observed = metrics ? createProviderMetrics(metrics) : (connector: ProviderConnector) => connector;
  return {
    providers: new Map(all.map(({ connector }) => [connector.name, observed(connector)])),
    close: async () => void (await Promise.all(all.map(({ close }) => close()))),
  };
}

/** There is a bank where its URL, the account there and the account's key are set. */
function bankOf(config: ProviderConfig, logger: Logger): ReturnType<typeof createBankConnector> | undefined {
  const { BANK_URL: url, BANK_ACCOUNT: account, BANK_KEY: key, BANK_ARRIVAL_MS: arrivalMs } = config;
  if (url === undefined || account === undefined || key === undefined || arrivalMs === undefined)
    return undefined;
  return createBankConnector({
    url,
    account,
    key,
    arrivalMs,
    clockSkewMs: config.BANK_CLOCK_SKEW_MS,
    logger,
  });
}
