import { join } from 'node:path';
import type { Config } from '#shared/platform/config/load.ts';
import type { ServiceContext } from '#shared/application/define-service.ts';
import type { RunningServer } from '#shared/platform/http/serve.ts';
import { createSandboxApp } from './app.ts';
import { startBank } from '#examples/bank/simulator/start.ts';
import type { createSenders } from './callbacks/send.ts';
import { createSandboxProvider } from './provider.ts';
import { openMemory } from './store/memory.ts';

export const sandboxVariables = [
  'NODE_ENV',
  'SANDBOX',
  'SANDBOX_PORT',
  'SANDBOX_API_KEY',
  'SANDBOX_API_KEY_PREVIOUS',
  'SANDBOX_CALLBACK_SECRET',
  'SANDBOX_CALLBACK_URL',
  'DATA_DIR',
  'DEMO',
  'SANDBOX_LISTEN_HOST',
  'BANK_ACCOUNT',
  'BANK_KEY',
  'LOG_LEVEL',
] as const;
type Optional = 'SANDBOX_API_KEY_PREVIOUS' | 'NODE_ENV' | 'SANDBOX' | 'BANK_ACCOUNT' | 'BANK_KEY';
type SandboxConfig = Config<Exclude<(typeof sandboxVariables)[number], Optional>> &
  Partial<Config<Optional>> & {
    /** Its public URL (SANDBOX_URL), whose host name it accepts too. */
    SANDBOX_URL?: string | undefined;
  };

type SandboxContext = Pick<ServiceContext, 'logger' | 'metrics' | 'signal' | 'onStop' | 'serve'>;

/** Starts the service on its database in `DATA_DIR/sandbox-provider`. */
export async function startSandbox(
  config: SandboxConfig,
  { logger, metrics, signal, onStop, serve }: SandboxContext,
): Promise<RunningServer> {
  const folder = join(config.DATA_DIR, 'sandbox-provider');
  const memory = openMemory(folder);
  onStop(() => memory.close());
  let sender: Promise<ReturnType<typeof createSenders>> | undefined;
  // Loading the HTTP client takes a quarter of the start-up time, and nothing is sent at first.
  const load = () =>
    (sender ??= import('./callbacks/send.ts').then((module) =>
      module.createSenders((attempt) => {
        const { account = '' } = memory.attempts.get(attempt) ?? {};
        const opened = memory.accounts.get(account);
        if (!opened)
          return { url: config.SANDBOX_CALLBACK_URL, secret: config.SANDBOX_CALLBACK_SECRET };
        return { url: opened.callbackUrl, secret: opened.callbackSecret };
      }),
    ));
  const provider = createSandboxProvider({
    memory,
    send: async (message) => (await load()).send(message),
    autopilot: config.DEMO,
    byAmount: config.DEMO && config.NODE_ENV !== 'production',
    logger,
    metrics,
  });
  onStop(() => provider.stop());
  onStop(async () => (await sender)?.close());
  // Requests that wait for an attempt to continue are answered at once.
  signal.addEventListener('abort', () => provider.release());
  const apiKeys = [config.SANDBOX_API_KEY, config.SANDBOX_API_KEY_PREVIOUS].filter(
    (key) => key !== undefined,
  );
  const host = config.SANDBOX_LISTEN_HOST;
  const { BANK_ACCOUNT: account, BANK_KEY: key } = config;
  const bank =
    account !== undefined && key !== undefined
      ? startBank({ folder, first: { account, key }, stopping: signal, logger })
      : undefined;
  onStop(() => bank?.close());
  const app = createSandboxApp(provider, {
    apiKeys,
    callbackUrl: config.SANDBOX_CALLBACK_URL,
    host,
    url: config.SANDBOX_URL,
    bank,
    logger,
    metrics,
  });
  const server = await serve(app, { port: config.SANDBOX_PORT, host });
  provider.start();
  return server;
}
