import type { Config } from '#shared/platform/config/load.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { ProviderConnector, Providers } from './connector.ts';
import type { providerNames } from './names.ts';
import { createProviderMetrics } from './observe.ts';
import { createSandboxConnector } from './sandbox/connector.ts';

/** The variables that `createProviders` needs. */
export const providerVariables = ['SANDBOX_URL', 'SANDBOX_API_KEY'] as const;
/** Those that it needs to read what providers report; without them it believes no callback. */
export const callbackVariables = ['SANDBOX_CALLBACK_SECRET', 'SANDBOX_CALLBACK_SECRET_PREVIOUS'] as const;
type ProviderConfig = Config<(typeof providerVariables)[number]> &
  Partial<Config<(typeof callbackVariables)[number]>>;

/** Every connector by the name that routes use; see docs/merchants/sandbox-provider.md for how to add one. With `metrics` calls are counted. */
export function createProviders(
  config: ProviderConfig,
  logger: Logger,
  metrics?: Metrics,
): { providers: Providers; close(): Promise<void> } {
  const built: Record<
    (typeof providerNames)[number],
    { connector: ProviderConnector; close(): Promise<void> }
  > = {
    sandbox: createSandboxConnector({
      url: config.SANDBOX_URL,
      apiKey: config.SANDBOX_API_KEY,
      callbackSecrets: [config.SANDBOX_CALLBACK_SECRET, config.SANDBOX_CALLBACK_SECRET_PREVIOUS].filter(
        (secret) => secret !== undefined,
      ),
      logger,
    }),
  };
  const all = Object.values(built);
  const observed = metrics ? createProviderMetrics(metrics) : (connector: ProviderConnector) => connector;
  return {
    providers: new Map(all.map(({ connector }) => [connector.name, observed(connector)])),
    close: async () => void (await Promise.all(all.map(({ close }) => close()))),
  };
}
