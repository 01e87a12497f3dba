import { fileURLToPath } from 'node:url';
import { startProcess, type RunningProcess } from '#infra/process/start-process.ts';
import type { RestartableStores } from './restartable-stores.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** The service as it is deployed: a process of its own, which a test may kill. */
export function startServiceProcess(
  stores: RestartableStores,
  { schedule = '0s', port = 0 }: { schedule?: string; port?: number } = {},
): RunningProcess {
  return startProcess(
    {
      name: 'webhooks',
      command: process.execPath,
      args: [main],
      env: {
        PATH: process.env['PATH'],
        WEBHOOKS_PORT: String(port),
        LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'warn',
        EVENT_STORE_URL: stores.eventStore.url,
        DATABASE_URL: stores.postgres.url,
        NATS_URL: stores.nats.url,
        WEBHOOK_RETRY_SCHEDULE: schedule,
        WEBHOOK_ALLOW_PRIVATE: '1',
      },
      stopSignal: 'SIGTERM',
    },
    { watchdog: stores.watchdog },
  );
}
