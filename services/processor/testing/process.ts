import { fileURLToPath } from 'node:url';
import { startUntilReady } from '#infra/process/start-process.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { answers } from '#infra/start/health.ts';
import {
  testCallbacksKey,
  testCredentialsKey,
} from '#shared/application/providers/accounts/testing/credential-keys.ts';
import { testKeyPair } from '#shared/platform/event-store/testing/log-keys.ts';
import { testMasterKey } from '#shared/application/personal-data/testing/personal-data.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

const services = {
  processor: { main: '../main.ts', port: 'PROCESSOR_PORT' },
  'merchant-api': { main: '../../merchant-api/main.ts', port: 'GATEWAY_PORT' },
} as const;

export type ServiceProcess = {
  url: string;
  /**
   * `SIGKILL` simulates a crash; other signals let it stop cleanly. Resolves with the exit code.
   */
  end(signal: NodeJS.Signals): Promise<number | null>;
};

/**
 * Starts a service in its own process, and waits until it is ready. It ends with this process at
 * the latest.
 */
export async function spawnService(
  name: keyof typeof services,
  env: Record<string, string>,
): Promise<ServiceProcess> {
  const { main, port } = services[name];
  const url = `http://127.0.0.1:${env[port]}`;
  const watchdog = startWatchdog();
  const launch = {
    name,
    command: process.execPath,
    args: [fileURLToPath(new URL(main, import.meta.url))],
    env: {
      PATH: process.env['PATH'],
      LISTEN_HOST: '127.0.0.1',
      LOG_LEVEL: 'fatal',
      PERSONAL_DATA_KEY: testMasterKey,
      LOG_SIGNING_KEYS: testKeyPair(name),
      PROVIDER_CREDENTIALS_KEY: testCredentialsKey,
      PROVIDER_CALLBACKS_KEY: testCallbacksKey,
      ...env,
    },
    stopSignal: 'SIGTERM',
  } as const;
  const isReady = () => answers(`${url}/readyz`);
  const child = await startUntilReady({ launch, isReady }, { watchdog }).catch(
    async (error: unknown) => {
      await watchdog.close();
      throw error;
    },
  );
  const end = async (signal: NodeJS.Signals) => {
    const { code } = await child.stop(waitLimitMs, signal);
    await watchdog.close();
    return code;
  };
  return { url, end };
}

export const spawnProcessor = (env: Record<string, string>) => spawnService('processor', env);
