import { join } from 'node:path';
import { startEmbeddedStores } from '#infra/verify/harness/stores/embedded-stores.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { createServers } from '#infra/lab/targets/servers.ts';
import { writeBenchShop } from './shop.ts';

const secrets = {
  SANDBOX_API_KEY: 'bench-bench-bench-bench',
  SANDBOX_CALLBACK_SECRET: 'whsec_YmVuY2gtYmVuY2gtYmVuY2gtYmVuY2gtMQ==',
  RECEIPT_URL_SECRET: 'bench-bench-bench-bench',
  PERSONAL_DATA_KEY: 'bench-bench-bench-bench-bench-bench-bench-b',
  PROVIDER_CREDENTIALS_KEY: 'bench-bench-bench-bench-bench-bench-bench-c',
  LOG_SIGNING_KEYS:
    'merchant-api=bench-bench-bench-bench-bench-bench-bench-d,log=bench-bench-bench-bench-bench-bench-bench-e',
};

export type CommandPath = Awaited<ReturnType<typeof startCommandPath>>;

/** What the merchant API needs, on its own log: no workers, projections and webhooks. */
export async function startCommandPath(dataDir: string) {
  const stores = await startEmbeddedStores(['event-store', 'postgres']);
  const eventStoreUrl = stores.urls['event-store'] ?? '';
  const databaseUrl = stores.urls.postgres ?? '';
  const store = connectEventStore(eventStoreUrl);
  const servers = createServers();
  const stop = async () => {
    await servers.stop();
    await store.close();
    await stores.stop();
  };
  try {
    const shop = await writeBenchShop(store);
    /** It costs next to nothing. */
    const provider = await servers.start('infra/lab/bench/servers/trivial-provider.ts', {
      port: 'PORT',
    });
    return {
      store,
      eventStoreUrl,
      databaseUrl,
      eventStorePid: stores.processes['event-store']?.pid ?? 0,
      databasePid: stores.processes.postgres?.pid ?? 0,
      shop,
      servers,
      provider,
      /** Each call starts another. */
      startGateway: () =>
        servers.start('services/merchant-api/main.ts', {
          port: 'GATEWAY_PORT',
          env: {
            EVENT_STORE_URL: eventStoreUrl,
            SANDBOX_URL: provider.url,
            DATA_DIR: join(dataDir, 'gateway'),
            PAY_BASE_URL: 'http://localhost:9',
            GATEWAY_BASE_URL: 'http://localhost:9',
            ...secrets,
          },
        }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
