import { join } from 'node:path';
import type { Config } from '#shared/platform/config/load.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { listen } from '#shared/platform/http/serve.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { createSandboxApp } from './app.ts';
import type { createSendCallback } from './callbacks/send.ts';
import { createProvider } from './provider.ts';
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
  'LOG_LEVEL',
] as const;
type Optional = 'SANDBOX_API_KEY_PREVIOUS' | 'NODE_ENV' | 'SANDBOX';
export type SandboxConfig = Config<Exclude<(typeof sandboxVariables)[number], Optional>> &
  Partial<Config<Optional>> & {
    /** Where others reach it (SANDBOX_URL): it answers to that host's name too. */
    SANDBOX_URL?: string | undefined;
  };

/** Starts the service on its memory in `DATA_DIR/sandbox-provider`. */
export async function startSandbox(
  config: SandboxConfig,
  logger: Logger,
): Promise<{ port: number; stop(): Promise<void> }> {
  const metrics = createMetrics('sandbox-provider');
  const memory = openMemory(join(config.DATA_DIR, 'sandbox-provider'));
  let sender: Promise<ReturnType<typeof createSendCallback>> | undefined;
  // To load its HTTP client is a quarter of the start-up time, and nothing is sent before something happened.
  const load = () =>
    (sender ??= import('./callbacks/send.ts').then((module) =>
      module.createSendCallback({ url: config.SANDBOX_CALLBACK_URL, secret: config.SANDBOX_CALLBACK_SECRET }),
    ));
  const provider = createProvider({
    memory,
    send: async (message) => (await load()).send(message),
    autopilot: config.DEMO,
    byAmount: config.DEMO && config.NODE_ENV !== 'production',
    logger,
    metrics,
  });
  const apiKeys = [config.SANDBOX_API_KEY, config.SANDBOX_API_KEY_PREVIOUS].filter(
    (key) => key !== undefined,
  );
  const host = config.SANDBOX_LISTEN_HOST;
  const app = createSandboxApp(provider, { apiKeys, host, url: config.SANDBOX_URL, logger, metrics });
  const server = await listen(app, { port: config.SANDBOX_PORT, host });
  provider.start();
  logger.info({ port: server.port }, 'listening');
  return {
    port: server.port,
    stop: async () => {
      provider.release();
      await server.close();
      await (await sender)?.close();
      await provider.stop();
      memory.close();
    },
  };
}
