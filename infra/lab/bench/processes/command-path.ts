import { join } from 'node:path';
import { startEmbeddedStores } from '#infra/verify/harness/embedded-stores.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createServers, type Server, type Servers } from '#infra/lab/targets/servers.ts';
import { writeBenchShop, type BenchShop } from './shop.ts';

const secrets = {
  SANDBOX_API_KEY: 'bench-bench-bench-bench',
  SANDBOX_CALLBACK_SECRET: 'whsec_YmVuY2gtYmVuY2gtYmVuY2gtYmVuY2gtMQ==',
  RECEIPT_URL_SECRET: 'bench-bench-bench-bench',
  PERSONAL_DATA_KEY: 'bench-bench-bench-bench-bench-bench-bench-b',
  PROVIDER_CREDENTIALS_KEY: 'bench-bench-bench-bench-bench-bench-bench-c',
};

/** The merchant API on its own log, without workers, projections and webhooks. */
export type CommandPath = {
  store: EventStore;
  eventStoreUrl: string;
  databaseUrl: string;
  eventStorePid: number;
  databasePid: number;
  shop: BenchShop;
  servers: Servers;
  /** A provider that costs next to nothing. */
  provider: Server;
  /** A merchant API; each call starts another. */
  startGateway(): Promise<Server>;
  stop(): Promise<void>;
};

export async function startCommandPath(dataDir: string): Promise<CommandPath> {
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
