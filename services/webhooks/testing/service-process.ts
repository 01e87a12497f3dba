import { testMasterKey } from '#shared/application/personal-data/testing/personal-data.ts';
import { fileURLToPath } from 'node:url';
import { startProcess, type RunningProcess } from '#infra/process/start-process.ts';
import type { Watchdog } from '#infra/process/watchdog.ts';
import { testKeyPair } from '#shared/platform/event-store/testing/log-keys.ts';
import type { ServicePart } from '../service.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

type ServiceStores = {
  eventStore: { url: string };
  postgres: { url: string };
  nats: { url: string };
  watchdog: Watchdog;
};

export type ServiceProcessOptions = {
  schedule?: string;
  port?: number;
  only?: ServicePart;
  /** A program to run instead of the service's `main.ts`. */
  program?: string;
  onLine?: (line: string) => void;
};

/** The service, or one part of it, in its own process, which a test may kill. */
export function startServiceProcess(
  stores: ServiceStores,
  { schedule = '0s', port = 0, only, program = main, onLine }: ServiceProcessOptions = {},
): RunningProcess {
  return startProcess(
    {
      name: 'webhooks',
      command: process.execPath,
      args: [program, ...(only ? ['--only', only] : [])],
      env: {
        PATH: process.env['PATH'],
        WEBHOOKS_PORT: String(port),
        LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'warn',
        EVENT_STORE_URL: stores.eventStore.url,
        DATABASE_URL: stores.postgres.url,
        NATS_URL: stores.nats.url,
        WEBHOOK_RETRY_SCHEDULE: schedule,
        WEBHOOK_ALLOW_PRIVATE: '1',
        PERSONAL_DATA_KEY: testMasterKey,
        LOG_SIGNING_KEYS: testKeyPair('webhooks'),
      },
      stopSignal: 'SIGTERM',
    },
    { watchdog: stores.watchdog, ...(onLine && { onLine }) },
  );
}
