import type { Hono } from 'hono';
import { gatewayUrl } from '#shared/platform/config/gateway-url.ts';
import { createApp } from '#shared/platform/http/app.ts';
import { isLoopback, requireKnownHost } from '#shared/platform/http/known-host.ts';
import { redirectBrowsers } from '#shared/platform/http/redirect-browsers.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { registerAttempts } from './api/attempts.ts';
import { registerSandboxAccounts } from './api/accounts.ts';
import { authenticateGateway, authenticateAccount } from './api/authentication.ts';
import { registerControl } from './api/control.ts';
import { registerSandboxReceipts } from './api/receipts.ts';
import { registerSandboxStatements } from './api/statements.ts';
import type { RunningBank } from '#examples/bank/simulator/start.ts';
import type { SandboxEnv } from './env.ts';
import type { Provider } from './provider.ts';

type SandboxAppOptions = {
  apiKeys: readonly string[];
  /** The gateway's URL for callbacks; an account's name follows it. */
  callbackUrl: string;
  /**
   * The address that it listens on: beyond loopback the control API and the metrics ask for a key
   * too.
   */
  host: string;
  /** Where others reach it, if anywhere else. */
  url?: string | undefined;
  /** The bank alongside it, with an API of its own. */
  bank?: RunningBank | undefined;
  logger: Logger;
  metrics: Metrics;
};

/** The providers without real money over HTTP: their APIs for the gateway, and the control API. */
export function createSandboxApp(
  provider: Pick<Provider, 'sandbox' | 'control' | 'desk' | 'memory' | 'statements'>,
  { apiKeys, callbackUrl, host, url, bank, logger, metrics }: SandboxAppOptions,
): Hono<SandboxEnv> {
  const app = createApp<SandboxEnv>({ logger, metrics });
  app.use(requireKnownHost(url));
  if (!isLoopback(host))
    for (const path of ['/metrics', '/control/*']) app.use(path, authenticateGateway(apiKeys));
  app.get('/metrics', async (c) =>
    c.body(await metrics.metrics(), 200, { 'content-type': metrics.contentType }),
  );
  redirectBrowsers(app, () => `${gatewayUrl()}/docs/sandbox`);
  app.use('/v1/*', authenticateAccount(apiKeys, provider.memory));
  registerSandboxAccounts(app, { memory: provider.memory, callbackUrl });
  registerAttempts(app, provider.sandbox);
  registerSandboxReceipts(app, provider);
  registerSandboxStatements(app, provider.statements);
  registerControl(app, provider.control);
  bank?.register(app);
  return app;
}
