import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import type { Helper } from '#infra/verify/harness/processes/helper-process.ts';
import type { LoadShop, SinkOrder } from '#infra/lab/load/generator/messages.ts';
import { shopCount } from '#infra/lab/targets/gateway.ts';
import type { LoadTarget } from '#infra/lab/load/target.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { startEmbeddedStores } from '#infra/verify/harness/stores/embedded-stores.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { hashApiKey, newApiKey } from '#shared/application/credentials.ts';
import { createServers } from '../targets/servers.ts';

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

export type CrudTarget = LoadTarget & {
  readonly databaseUrl: string;
  readonly providerUrl: string;
};

/** A gateway as a team would write it on PostgreSQL: an API, a worker, and the same provider. */
export async function startCrud(
  sink: Helper<SinkOrder>,
  { settlesAlone = true }: { settlesAlone?: boolean } = {},
): Promise<CrudTarget> {
  const folder = makeTempFolder();
  const stores = await startEmbeddedStores(['postgres']);
  const servers = createServers();
  const stop = async () => {
    await servers.stop();
    await stores.stop();
    removeFolder(folder);
  };
  try {
    const databaseUrl = stores.urls.postgres ?? '';
    const shops = await openShops(databaseUrl, sink);
    const providerPort = await findFreePort();
    const secrets = { SANDBOX_API_KEY: randomUUID(), SANDBOX_CALLBACK_SECRET: newSecret() };
    const env = {
      DATABASE_URL: databaseUrl,
      PROVIDER_URL: `http://127.0.0.1:${providerPort}`,
      SETTLES_ALONE: settlesAlone ? '1' : '0',
      ...secrets,
    };
    const api = await servers.start('infra/lab/counterpart/api.ts', { port: 'PORT', env });
    const provider = await servers.start('services/sandbox-provider/main.ts', {
      port: 'SANDBOX_PORT',
      at: providerPort,
      env: {
        DATA_DIR: folder,
        DEMO: '1',
        LOG_LEVEL: 'warn',
        SANDBOX_CALLBACK_URL: `${api.url}/callbacks/provider`,
        ...secrets,
      },
    });
    const worker = await servers.start('infra/lab/counterpart/worker.ts', { port: 'PORT', env });
    const processes = {
      api: api.pid,
      worker: worker.pid,
      postgres: stores.processes.postgres?.pid ?? 0,
      'sandbox-provider': provider.pid,
    };
    return {
      url: api.url,
      shops,
      processes: () => processes,
      players: ['sandbox-provider'],
      stop,
      databaseUrl,
      providerUrl: provider.url,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** As many shops as the gateway has, with as much money. */
async function openShops(databaseUrl: string, sink: Helper<SinkOrder>): Promise<LoadShop[]> {
  const { url } = await sink.request<{ url: string }>({ order: 'begin' });
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'));
  const shops: LoadShop[] = [];
  for (let shop = 0; shop < shopCount; shop += 1) {
    const [shopId, apiKey, secret] = [randomUUID(), newApiKey(), newSecret()];
    await client.query(
      'insert into shops (shop_id, name, webhook_url, webhook_secret) values ($1, $2, $3, $4)',
      [shopId, `Shop ${shop + 1}`, `${url}/${shop}`, secret],
    );
    await client.query('insert into api_keys (key_hash, shop_id) values ($1, $2)', [
      hashApiKey(apiKey),
      shopId,
    ]);
    await client.query(
      `insert into balances (shop_id, currency, balance) select $1, currency,
         case currency when 'RUB' then 1000000000 else 0 end from unnest(array['RUB', 'USD', 'EUR', 'USDT']) currency`,
      [shopId],
    );
    await sink.request({ order: 'secret', shop, secret });
    shops.push({ shopId, apiKey });
  }
  await client.end();
  return shops;
}
