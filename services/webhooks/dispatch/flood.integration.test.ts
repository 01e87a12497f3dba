import { sql, type KyselyPlugin } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { webhookStackForFile } from '../testing/webhook-stack.ts';
import { createDirectory, type Directory } from '#shared/application/directory/directory.ts';
import { dueChannel } from '#shared/application/webhooks/database/tables.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import { newId } from '#shared/platform/ids.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { createMerchant } from '../testing/merchant.ts';
import { Dispatcher } from './dispatcher.ts';
import { createResolve } from './guard/resolve.ts';
import { LaneTable } from './pace/lane-table.ts';
import { until } from '../testing/until.ts';

const count = 50_000;

const stack = webhookStackForFile();
const directory = forFile(() => createDirectory(stack.store));
let running: Promise<void> | undefined;
const stop = new AbortController();
const lanes = new LaneTable();
const lookedUp = new Set<string>();
/** Counts the statements that name a made-up shop. */
let queries = 0;
const counting: KyselyPlugin = {
  transformQuery: ({ node }) => {
    if (JSON.stringify(node).includes('made-up-')) queries += 1;
    return node;
  },
  transformResult: async ({ result }) => result,
};
const reader = `reader_${newId().slice(0, 8)}`;
beforeAll(async () => {
  await migrateWebhooks(stack.db);
  await sql`create role ${sql.id(reader)} login password 'reads'`.execute(stack.db);
});
afterAll(async () => {
  stop.abort();
  await running;
  await sql`drop role ${sql.id(reader)}`.execute(stack.db);
});

/** Any login may do this: PostgreSQL has no privilege for NOTIFY that could be revoked. */
async function notifyAs(shopIds: string): Promise<void> {
  const url = new URL(stack.databaseUrl);
  url.username = reader;
  url.password = 'reads';
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await client.query(`select pg_notify($1, ${shopIds}) from generate_series(1, $2) as n`, [
    dueChannel,
    count,
  ]);
  await client.end();
}

it('creates lanes only for shops with due messages, and sends those', async () => {
  const merchants = await Promise.all(Array.from({ length: 3 }, () => createMerchant(stack)));
  const byId: Directory['byId'] = (shopId) => {
    lookedUp.add(shopId);
    return directory.byId(shopId);
  };
  const dispatcher = new Dispatcher({
    store: stack.store,
    personal: testPersonalData(stack.store),
    directory: { ...directory, byId },
    db: stack.db.withPlugin(counting),
    databaseUrl: stack.databaseUrl,
    logger,
    retry: { scheduleMs: [0, 50, 100], random: Math.random },
    allowPrivate: true,
    resolve: createResolve(),
    lanes,
  });
  running = dispatcher.run(stop.signal);
  const pingAll = async (times: number) => {
    for (const { shopId } of merchants) await ping(stack.db, { shopId });
    for (const { receiver } of merchants) await receiver.until(times);
  };
  await pingAll(1);
  await notifyAs(`'made-up-' || n`);
  await pingAll(2);
  // Also for an existing shop with nothing due.
  await notifyAs(`'${merchants[0]?.shopId}'`);
  await pingAll(3);

  const shopIds = new Set(merchants.map(({ shopId }) => shopId));
  const others = (ids: Iterable<string>) => [...ids].filter((id) => !shopIds.has(id));
  expect(others([...lanes.all()].map(({ shopId }) => shopId))).toEqual([]);
  expect(others(lookedUp)).toEqual([]);
  expect(queries).toBeGreaterThan(0);
  expect(queries).toBeLessThan(count / 256);
  const listens = async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and application_name = 'webhooks-listen'`.execute(
      stack.db,
    );
    return rows.length === 1;
  };
  await until('it listens again', listens);
});
