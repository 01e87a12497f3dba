import type { Config } from '#shared/config/load.ts';
import type { Logger } from '#shared/logger.ts';
import type { ProviderConnector, Providers } from './connector.ts';
import { createSandboxConnector } from './sandbox/connector.ts';

/** The variables that `createProviders` needs. */
export const providerVariables = ['SANDBOX_URL', 'SANDBOX_API_KEY', 'SANDBOX_CALLBACK_SECRET'] as const;

/** Every connector by the name that routes use; a new provider is a folder beside `sandbox/` and an entry here. */
export function createProviders(
  config: Config<(typeof providerVariables)[number]>,
  logger: Logger,
): { providers: Providers; close(): Promise<void> } {
  const built: { connector: ProviderConnector; close(): Promise<void> }[] = [
    createSandboxConnector({
      url: config.SANDBOX_URL,
      apiKey: config.SANDBOX_API_KEY,
      callbackSecret: config.SANDBOX_CALLBACK_SECRET,
      logger,
    }),
  ];
  return {
    providers: new Map(built.map(({ connector }) => [connector.name, connector])),
    close: async () => void (await Promise.all(built.map(({ close }) => close()))),
  };
}
