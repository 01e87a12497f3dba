import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { createDatabase, type TestDatabase } from '#infra/verify/harness/stores/database.ts';
import {
  startEmbeddedStores,
  type EmbeddedStores,
} from '#infra/verify/harness/stores/embedded-stores.ts';
import { createCompleteToReader } from '#projections/as-of.ts';
import { listOperationsOfShop, oldestCreating } from '#projections/operations/of-shop.ts';
import { listOperations } from '#projections/operations/query.ts';
import { resetFollower } from '#projections/rebuild/followers.ts';
import { rebuild } from '#projections/rebuild/rebuild.ts';
import { operationsReadModel } from '#projections/operations/read-model.ts';
import { findReplacedViews } from '#projections/runner/replaced-views.ts';
import { startProjections, type Projections } from '#projections/start.ts';
import { listProjections } from '#projections/status.ts';
import { migrateConsole } from '#services/back-office/console/session/tables.ts';
import {
  createSweepCheckpoints,
  migrateSweepCheckpoints,
} from '#services/back-office/api/sweep-checkpoints.ts';
import { migratePortal } from '#services/back-office/portal/database.ts';
import { processorMigrations } from '#services/processor/due/postgres/tables.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import { listMessages } from '#shared/application/webhooks/messages/list.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { redeliver } from '#shared/application/webhooks/messages/redeliver.ts';
import { redeliverByFilter } from '#shared/application/webhooks/messages/redeliver-by-filter.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';

const script = readFileSync(fileURLToPath(new URL('roles.sql', import.meta.url)), 'utf8');
const services = [
  'projections',
  'webhooks',
  'processor',
  'admin',
  'portal',
  'audit',
  'merchant_api',
] as const;
type Service = (typeof services)[number];

let stores: EmbeddedStores;
let store: EventStore;
let database: TestDatabase;
let projections: Projections | undefined;
const dbs = new Map<Service, ReturnType<typeof connectDatabase>>();
const clients = new Map<Service, Client>();
const urls = new Map<Service, string>();

/** A separate server: roles belong to a server, not to a database. */
beforeAll(async () => {
  stores = await startEmbeddedStores(['event-store', 'postgres']);
  store = connectEventStore(stores.urls['event-store'] ?? '');
  database = await createDatabase(stores.urls.postgres);
  const administrator = new Client({ connectionString: database.url });
  await administrator.connect();
  // The script can be run again.
  for (let run = 0; run < 2; run += 1) await administrator.query(script);
  for (const service of services) {
    const password = newId();
    await administrator.query(`alter role gateway_${service} password '${password}'`);
    const url = new URL(database.url);
    url.username = `gateway_${service}`;
    url.password = password;
    urls.set(service, url.href);
    dbs.set(service, connectDatabase(url.href, { applicationName: service, maxConnections: 12 }));
    const client = new Client({ connectionString: url.href });
    await client.connect();
    clients.set(service, client);
  }
  await administrator.end();
});
afterAll(async () => {
  await projections?.stop();
  for (const client of clients.values()) await client.end();
  for (const db of dbs.values()) await db.destroy();
  await store.close();
  await database.drop();
  await stores.stop();
});

// Each service uses only its own tables, so the type of the others does not matter.
// oxlint-disable-next-line typescript/no-explicit-any
const as = (service: Service): any => dbs.get(service);

const outcomeOf = async (service: Service, statement: string): Promise<string> =>
  (clients.get(service) as Client).query(statement).then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  );

/** Queues webhooks as the portal does, with its role. */
async function queuesWebhooks() {
  const shopId = newId();
  const accepted = await redeliver(as('portal'), await ping(as('portal'), { shopId }));
  const filter = { shopId, status: 'pending' } as const;
  const { count } = await redeliverByFilter(as('portal'), filter);
  const page = await listMessages(as('portal'), { shopId });
  const attempts = 'messages' in page ? page.messages[0]?.attempts.length : undefined;
  return { accepted, count, attempts };
}

describe('a separate database role for each service', () => {
  it('can create, migrate and use its own tables', async () => {
    await migrateWebhooks(as('webhooks'));
    await migrate(as('processor'), processorMigrations);
    projections = startProjections({ db: as('projections'), store, logger });
    await eventually('the read models are ready', () => projections?.notReady() === undefined);
    // The admin API migrates both at each start.
    await migrateWebhooks(as('admin'));
    await migrateConsole(as('admin'));
    await migrateSweepCheckpoints(as('admin'));
    const checkpoints = createSweepCheckpoints(as('admin'), Promise.resolve());
    const checkpoint = {
      position: 7n,
      event: { stream: 'erasure-1', revision: 0, id: 'e', position: 7n },
    };
    await checkpoints.keep('erasure-', checkpoint);
    expect(await checkpoints.find('erasure-')).toEqual(checkpoint);
    await migratePortal(as('portal'));
    expect(await outcomeOf('webhooks', 'select 1 from webhooks.relay')).toBe('done');
    expect(await outcomeOf('processor', 'select 1 from processor.due')).toBe('done');
  });

  it('has read access to the read models, also after a rebuild, and can queue webhooks', async () => {
    const { operations } = await listOperations(as('admin'), { limit: 10 });
    expect(operations).toEqual([]);
    // As `npm run projections -- rebuild` does, while the service runs.
    const rebuilding = connectDatabase<unknown>(urls.get('projections') ?? '', {
      applicationName: 'rebuild',
    });
    await rebuild({ db: rebuilding, store, logger, model: operationsReadModel });
    await rebuilding.destroy();
    expect((await listOperations(as('admin'), { limit: 10 })).operations).toEqual([]);
    const models = await listProjections(as('admin'), store);
    expect(models.map(({ name }) => name)).toContain('operations');
    const shopId = newId();
    const messageId = await ping(as('admin'), { shopId });
    await redeliver(as('admin'), messageId);
    expect(await queuesWebhooks()).toEqual({ accepted: 'accepted', count: 1, attempts: 0 });
    expect((await listOperations(as('portal'), { limit: 10 })).operations).toEqual([]);
    const page = await listMessages(as('admin'), { shopId });
    expect(page).toMatchObject({ messages: [{ message_id: messageId }] });
    expect(await outcomeOf('audit', 'select * from webhooks.message')).toBe('done');
    expect(await outcomeOf('audit', 'select * from gateway.journal_entries')).toBe('done');
    expect(await outcomeOf('audit', 'select * from projections.status')).toBe('done');
    const found = await as('audit').transaction().execute(findReplacedViews);
    expect(found).toEqual({ replaced: [], ofOtherVersion: [] });
    for (const table of ['message', 'attempt'])
      expect(await outcomeOf('merchant_api', `select * from webhooks.${table}`)).toBe('done');
    const listed = { shopId, filter: {}, limit: 10 };
    expect((await listOperationsOfShop(as('merchant_api'), listed)).operations).toEqual([]);
    expect(await oldestCreating(as('merchant_api'), shopId)).toBeUndefined();
    const asOf = createCompleteToReader({
      db: as('merchant_api'),
      store,
      model: operationsReadModel,
    });
    expect(await asOf()).toBeGreaterThan(0);
  });

  it('can reset its own followers, and no other role can', async () => {
    expect(
      await outcomeOf(
        'processor',
        `insert into processor.feed (name, position) values ('operations', 7)`,
      ),
    ).toBe('done');
    expect(
      await outcomeOf(
        'webhooks',
        `insert into webhooks.relay (name, position, stream_created, stream_sequence, generation)
        values ('operations', 7, '', 0, 0)`,
      ),
    ).toBe('done');
    const reset = (name: Parameters<typeof resetFollower>[0], by: Service) =>
      resetFollower(name, { db: as(by), store, named: true });
    await expect(reset('processor', 'projections')).rejects.toThrow('permission denied');
    expect(await reset('processor', 'processor')).toContain('it reads the log from the start');
    expect(await reset('webhooks.relay', 'webhooks')).toContain('it reads the log from the start');
    await expect(reset('admin', 'projections')).rejects.toThrow('permission denied');
    expect(await reset('admin', 'admin')).toContain('it reads the log from the start');
    for (const [name, by] of [
      ['processor', 'processor'],
      ['webhooks.relay', 'webhooks'],
      ['webhooks.reconcile', 'webhooks'],
      ['admin', 'admin'],
    ] as const)
      expect(await reset(name, by)).toContain('it has no checkpoint');
  });

  it('has the same grants for the portal if the script runs after the migrations', async () => {
    const administrator = new Client({ connectionString: database.url });
    await administrator.connect();
    // As older versions of the script granted it.
    await administrator.query(
      'grant select, insert, update on all tables in schema webhooks to gateway_portal',
    );
    await administrator.query(script);
    await administrator.end();
    expect(await queuesWebhooks()).toEqual({ accepted: 'accepted', count: 1, attempts: 0 });
  });

  it('can be used by a second login, so that a password can be changed', async () => {
    const administrator = new Client({ connectionString: database.url });
    await administrator.connect();
    // As documented in docs/operators/keys.md.
    await administrator.query(`create role gateway_webhooks_2 login password 'second' in role gateway_webhooks;
      alter role gateway_webhooks_2 set role gateway_webhooks`);
    await administrator.end();
    const url = new URL(database.url);
    url.username = 'gateway_webhooks_2';
    url.password = 'second';
    const second = new Client({ connectionString: url.href });
    await second.connect();
    await second.query('create table webhooks.made (x int)');
    const { rows } = await second.query(
      `select tableowner from pg_tables where schemaname = 'webhooks' and tablename = 'made'`,
    );
    expect(rows).toEqual([{ tableowner: 'gateway_webhooks' }]);
    await second.query('drop table webhooks.made');
    await second.end();
  });

  it('has the locks that it needs, while analysts can neither lock nor fill the disk', async () => {
    const administrator = new Client({ connectionString: database.url });
    await administrator.connect();
    await administrator.query(
      `create role anna login password 'reads' in role gateway_analyst; grant connect on database ${new URL(database.url).pathname.slice(1)} to anna`,
    );
    const { rows } = await administrator.query<{ lock: string }>(
      `select oid::regprocedure::text as lock from pg_proc where proname ~ '^(lo_|loread$|lowrite$|pg_(try_)?advisory_)'`,
    );
    await administrator.end();
    expect(rows.length).toBeGreaterThan(30);
    const url = new URL(database.url);
    url.username = 'anna';
    url.password = 'reads';
    const anna = new Client({ connectionString: url.href });
    await anna.connect();
    await anna.query('select * from gateway.operations');
    for (const { lock } of rows) {
      const may = await anna.query<{ may: boolean }>(
        `select has_function_privilege($1, 'execute') as may`,
        [lock],
      );
      expect([lock, may.rows[0]?.may]).toEqual([lock, false]);
    }
    await expect(
      anna.query(`select pg_advisory_lock(hashtextextended('processor: feed', 0))`),
    ).rejects.toMatchObject({ code: '42501' });
    await expect(anna.query('create temporary table mine (a int)')).rejects.toMatchObject({
      code: '42501',
    });
    await anna.end();
    for (const service of ['projections', 'webhooks', 'processor', 'admin'] as const)
      expect(
        await outcomeOf(service, 'select pg_advisory_unlock_all(), pg_try_advisory_xact_lock(7)'),
      ).toBe('done');
  });

  it.each<[Service, string]>([
    ['webhooks', 'select * from gateway.operations'],
    ['webhooks', 'select * from console.session'],
    ['webhooks', 'select * from portal.session'],
    ['admin', 'select * from portal.session'],
    ['portal', 'select * from console.session'],
    ['portal', 'update gateway.operations set status = status'],
    ['portal', 'delete from webhooks.message'],
    ['portal', "update webhooks.message set body = '{}'"],
    ['portal', "update webhooks.message set shop_id = 'other'"],
    ['portal', 'update webhooks.attempt set error = null'],
    ['portal', 'insert into webhooks.attempt select * from webhooks.attempt'],
    ['portal', 'update webhooks.relay set position = 0'],
    ['portal', 'update webhooks.reconciliation set position = 0'],
    ['portal', 'select * from webhooks.relay'],
    ['portal', 'select * from webhooks.migration'],
    ['webhooks', 'select * from processor.due'],
    ['processor', 'select * from webhooks.message'],
    ['processor', 'select * from gateway.operations'],
    ['projections', 'update webhooks.message set status = status'],
    ['projections', 'select * from console.session'],
    ['admin', 'update gateway.operations set status = status'],
    ['admin', 'delete from webhooks.message'],
    ['admin', 'delete from webhooks.attempt'],
    ['admin', 'drop table webhooks.message'],
    ['admin', 'create table webhooks.mine (x int)'],
    ['admin', 'select * from processor.due'],
    ['audit', 'update webhooks.message set status = status'],
    ['audit', "insert into projections.status (schema, name, version) values ('x', 'x', 1)"],
    ['audit', 'select * from console.session'],
    ['audit', 'select pg_try_advisory_lock(1)'],
    ['merchant_api', "select pg_advisory_lock(hashtextextended('processor: feed', 0))"],
    ['audit', 'create schema mine'],
    ['webhooks', 'create table public.mine (x int)'],
  ])('denies %s: %s', async (service, statement) => {
    // insufficient_privilege, also for schemas without access.
    expect(await outcomeOf(service, statement)).toBe('42501');
  });
});
