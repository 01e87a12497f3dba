import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { ownLogForFile } from '#infra/verify/harness/stores/own-log.ts';
import { ledgerReadModel } from '#projections/ledger/read-model.ts';
import { operationsReadModel } from '#projections/operations/read-model.ts';
import { startProjections } from '#projections/start.ts';
import { suspenseReadModel } from '#projections/suspense/read-model.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { connectReadModels } from './connect.ts';
import { useInstances } from './testing/instances.ts';
import { setUpShop } from './testing/shop.ts';

const log = ownLogForFile();
const database = databaseForFile();
const { started, instance } = useInstances(() => log.url);
const within = { intervalMs: 20 };

beforeAll(async () => {
  const db = connectDatabase<unknown>(database.url, {
    applicationName: 'test',
    maxConnections: 12,
  });
  const models = [operationsReadModel, suspenseReadModel, ledgerReadModel];
  const projections = startProjections({ db, store: started.store, logger, models });
  const areLive = () =>
    projections.statuses().length === models.length &&
    projections.statuses().every(({ state }) => state === 'live');
  await eventually('the read models are live', areLive, within);
  await projections.stop();
  await db.destroy();
});

function useApi() {
  const readModels = connectReadModels({
    config: { DATABASE_URL: database.url },
    logger,
    onStop: (stop) => onTestFinished(async () => void (await stop())),
  });
  if (!readModels) throw new Error('there is a database');
  const { db, statementsDb, exports } = readModels;
  return { readModels, api: instance({ db, statementsDb, exports }) };
}

/** Locks the tables that lists and statements read, so that their queries wait. */
async function lockTables(): Promise<() => Promise<void>> {
  const db = connectDatabase<unknown>(database.url, { applicationName: 'test-lock' });
  const locked = await db.startTransaction().execute();
  onTestFinished(async () => {
    await locked
      .rollback()
      .execute()
      .catch(() => undefined);
    await db.destroy();
  });
  await sql`lock table gateway.operations, gateway.ledgers, gateway.ledger_trees
    in access exclusive mode`.execute(locked);
  return () => locked.rollback().execute();
}

function useWaiting() {
  const db = connectDatabase<unknown>(database.url, { applicationName: 'test-watch' });
  onTestFinished(() => db.destroy());
  const highest = new Map<string, number>();
  /** The queries of a pool that wait for a lock: each holds a connection. */
  const waitingOf = async (pool: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name = ${pool}
        and wait_event_type = 'Lock'`.execute(db);
    const count = rows[0]?.count ?? 0;
    highest.set(pool, Math.max(count, highest.get(pool) ?? 0));
    return count;
  };
  return { waitingOf, highest };
}

const to = encodeURIComponent(new Date(Date.now() - 60_000).toISOString());
const period = `?currency=RUB&from=2020-01-01T00:00:00Z&to=${to}`;

test('a shop’s lists, statements and exports hold at most half of any pool, and another’s start at once (R1.17, R10.13)', async () => {
  const { api, readModels } = useApi();
  const { waitingOf, highest } = useWaiting();
  const [busy, other] = [await setUpShop(started.store, {}), await setUpShop(started.store, {})];
  const call = async (apiKey: string, path: string, method = 'GET') => {
    const response = await api.request(path, { method, headers: { 'x-api-key': apiKey } });
    await response.text();
    return response.status;
  };
  const unlock = await lockTables();

  let over = false;
  onTestFinished(() => void (over = true));
  const statuses = new Set<number>();
  const repeat = async (path: string, method: string) => {
    while (!over) {
      statuses.add(await call(busy.apiKey, path, method));
      await delay(10);
    }
  };
  const requests = [
    ['/v1/operations', 'GET'],
    ['/v1/operations.csv', 'GET'],
    [`/v1/statements${period}`, 'GET'],
    [`/v1/statements${period}`, 'HEAD'],
    [`/v1/statements.csv${period}`, 'HEAD'],
  ] as const;
  const load = requests.flatMap(([path, method]) =>
    Array.from({ length: 10 }, () => repeat(path, method)),
  );
  const reaches = (pool: string, count: number) =>
    eventually(`${pool} has ${count}`, async () => (await waitingOf(pool)) === count, within);
  await reaches('merchant-api-lists', 4);
  await reaches('merchant-api-exports', 3);
  await reaches('merchant-api-statements', 2);

  const others = [
    call(other.apiKey, '/v1/operations'),
    call(other.apiKey, `/v1/statements${period}`, 'HEAD'),
    call(other.apiKey, '/v1/operations.csv'),
  ];
  // The other shop has its connections while the busy one has all that it may hold.
  await reaches('merchant-api-lists', 5);
  await reaches('merchant-api-exports', 4);
  await reaches('merchant-api-statements', 3);
  const day = readModels.readDayUse(other.shopId, '2026-01-31').catch(() => undefined);
  await reaches('merchant-api-day-use', 1);

  expect([...highest]).toEqual([
    ['merchant-api-lists', 5],
    ['merchant-api-exports', 4],
    ['merchant-api-statements', 3],
    ['merchant-api-day-use', 1],
  ]);

  over = true;
  await unlock();
  expect([200, 503]).toContain(await others[0]);
  expect(await others[1]).toBe(503);
  await Promise.all([...load, day]);
  expect(statuses).toContain(429);
  expect([200, 429, 503]).toEqual(expect.arrayContaining([...statuses]));
});
