import { sql, type Kysely } from 'kysely';
import { Client } from 'pg';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { startProcess } from '#infra/process/start-process.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { operationsReadModel } from '#projections/operations/read-model.ts';
import { analystUrl } from '#projections/psql/login.ts';
import { rebuild } from '#projections/rebuild/rebuild.ts';
import { startProjections } from '#projections/start.ts';
import { writeSampleLog } from '#projections/testing/sample-log.ts';
import { areLive, useOwnEventStore } from '#projections/testing/stores.ts';
import { migrateConsole } from '#services/back-office/console/session/tables.ts';
import { migrateSweepCheckpoints } from '#services/back-office/api/sweep-checkpoints.ts';
import { migratePortal } from '#services/back-office/portal/database.ts';
import { processorMigrations } from '#services/processor/due/postgres/tables.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import { listMessages } from '#shared/application/webhooks/messages/list.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { preparePostgres } from './launch.ts';

/** An embedded PostgreSQL as in a start, which a test can stop and start. */
async function usePostgres() {
  const root = useTempFolder();
  const watchdog = startWatchdog();
  onTestFinished(() => watchdog.close());
  const place = { folder: join(root, 'postgres'), port: await findFreePort() };
  const start = async () => {
    const { launch, isReady, ...urls } = await preparePostgres(place);
    const running = startProcess(launch, { watchdog });
    const stop = () => running.stop(10_000);
    onTestFinished(async () => void (await stop()));
    await eventually('PostgreSQL is ready', isReady);
    return { ...urls, isReady, stop };
  };
  return { start, forgetPassword: () => rmSync(join(place.folder, 'services-password')) };
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  return client;
}

// Each service uses only its own tables, so the type of the others does not matter.
// oxlint-disable-next-line typescript/no-explicit-any
const connectAll = (url: string): Kysely<any> =>
  connectDatabase(url, { applicationName: 'test', maxConnections: 12 });

const codeOf = async (client: Client, text: string): Promise<string> =>
  client.query(text).then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  );

describe('the services’ login in the embedded PostgreSQL', () => {
  const own = useOwnEventStore();
  let written: Promise<unknown> | undefined;

  /** Uses the database as all services do at their start, and as a reader. */
  async function work(url: string) {
    const db = connectAll(url);
    await (written ??= writeSampleLog(own.store));
    await migrateWebhooks(db);
    await migrate(db, processorMigrations);
    await migrateConsole(db);
    await migrateSweepCheckpoints(db);
    await migratePortal(db);
    const projections = startProjections({ db, store: own.store, logger });
    try {
      await eventually('the read models are live', () => areLive(projections));
      const { rows } = await sql`select count(*)::int from gateway.operations`.execute(db);
      return { operations: rows, messageId: await ping(db, { shopId: 'shop-1' }) };
    } finally {
      await projections.stop();
      await db.destroy();
    }
  }

  it('is no superuser: no server files, no programs, no role changes (R19.8)', async () => {
    const { url, superuserUrl } = await (await usePostgres()).start();
    const client = await connect(url);
    const { rows } = await client.query(
      `select rolsuper, rolcreatedb, rolreplication, rolbypassrls from pg_roles where rolname = session_user`,
    );
    const none = { rolsuper: false, rolcreatedb: false, rolreplication: false };
    expect(rows).toEqual([{ ...none, rolbypassrls: false }]);
    for (const text of [
      `select pg_read_file('PG_VERSION')`,
      `select pg_ls_dir('.')`,
      `copy (select 1) to program 'true'`,
      `copy (select 1) to '/tmp/no-file'`,
      `select lo_import('/etc/hostname')`,
      `alter system set jit = 'on'`,
      `alter role ${new URL(superuserUrl).username} password 'mine'`,
      `alter role ${new URL(url).username} superuser`,
      `grant pg_execute_server_program to ${new URL(url).username}`,
      'create role mine superuser',
      `set role ${new URL(superuserUrl).username}`,
    ])
      expect([text, await codeOf(client, text)]).toEqual([text, '42501']);
    // The two passwords are independent.
    const swapped = new URL(superuserUrl);
    swapped.password = new URL(url).password;
    await expect(connect(swapped.href)).rejects.toMatchObject({ code: '28P01' });
  });

  it('cannot make the superuser run its code at the next start', async () => {
    const { start } = await usePostgres();
    const first = await start();
    const services = await connect(first.url);
    await services.query(`create schema gateway; create table gateway.ran (a name);
      create function gateway.trap(oid, regrole) returns boolean language plpgsql as
        'begin insert into gateway.ran values (current_user); return true; end';
      create operator gateway.= (leftarg = oid, rightarg = regrole, function = gateway.trap);
      alter database gateway set search_path = gateway, pg_catalog`);
    await services.end();
    await first.stop();
    const { url } = await start();
    const again = await connect(url);
    expect((await again.query('select * from gateway.ran')).rows).toEqual([]);
  });

  it('gets a new password when its password file is removed', async () => {
    const { start, forgetPassword } = await usePostgres();
    const before = await start();
    await before.stop();
    forgetPassword();
    const { url } = await start();
    await expect(connect(before.url)).rejects.toMatchObject({ code: '28P01' });
    expect(await codeOf(await connect(url), 'select 1')).toBe('done');
  });

  it('suffices for all services, and analysts get a limited shell (R19.8)', async () => {
    const { url } = await (await usePostgres()).start();
    await expect(work(url)).resolves.toMatchObject({ operations: [{ count: 5 }] });
    await expectRebuilt(url);
    await expectLimits(url);
  });

  it('takes over objects of an older version’s superuser, and analysts (R19.8)', async () => {
    const postgres = await usePostgres();
    const first = await postgres.start();
    const before = await connect(first.superuserUrl);
    await before.query(`reassign owned by gateway_services to gateway;
      drop owned by gateway_services; drop role gateway_services`);
    const { messageId } = await work(first.superuserUrl);
    await analystUrl(first.superuserUrl);
    await before.query('create schema other; create table other.retained as select 7 as a');
    await before.end();
    await first.stop();

    for (const expectAll of [expectLimits, expectWork]) {
      const { url, superuserUrl, stop } = await postgres.start();
      const db = connectAll(url);
      const { rows: retained } = await sql`select a from other.retained`.execute(db);
      expect(retained).toEqual([{ a: 7 }]);
      const page = await listMessages(db, { shopId: 'shop-1' });
      expect('messages' in page && page.messages.map(({ message_id: id }) => id)).toContain(
        messageId,
      );
      const { rows: left } = await sql`select relname from pg_class c
        join pg_namespace n on n.oid = relnamespace
        where relowner = 'gateway'::regrole and nspname !~ '^pg_' and nspname <> 'information_schema'`.execute(
        db,
      );
      expect(left).toEqual([]);
      await db.destroy();
      await expectAll(url);
      // As after a temporary downgrade to an older version.
      const older = await connect(superuserUrl);
      await older
        .query('create schema later; create table later.made (a int)')
        .catch(() => undefined);
      await older.end();
      await stop();
    }
  });

  async function expectWork(url: string): Promise<void> {
    expect((await work(url)).operations).toEqual([{ count: 5 }]);
    await expectRebuilt(url);
    await expectLimits(url);
  }

  /** As `npm run projections -- rebuild`, which makes schemas. */
  async function expectRebuilt(url: string): Promise<void> {
    const db = connectDatabase<unknown>(url, { applicationName: 'rebuild' });
    await rebuild({ db, store: own.store, logger, model: operationsReadModel });
    const { rows } = await sql`select count(*)::int from gateway.operations`.execute(db);
    expect(rows).toEqual([{ count: 5 }]);
    await db.destroy();
  }

  async function expectLimits(url: string): Promise<void> {
    const shell = await connect(await analystUrl(url));
    const { rows } = await shell.query(`select count(*)::int,
      current_setting('statement_timeout') as time, current_setting('temp_file_limit') as files
      from gateway.operations`);
    expect(rows).toEqual([{ count: 5, time: '10min', files: '10GB' }]);
    for (const text of [
      'delete from gateway.operations',
      'select * from webhooks.message',
      'create temporary table mine (a int)',
      'select lo_create(0)',
      `select pg_advisory_lock(hashtextextended('processor: feed', 0))`,
      `set temp_file_limit = '20GB'`,
      'set role gateway_services',
    ])
      expect([text, await codeOf(shell, text)]).toEqual([text, '42501']);
    await shell.end();
  }

  it('is prepared again after a deadlock with another client', async () => {
    const { superuserUrl, isReady } = await (await usePostgres()).start();
    const watching = await connect(superuserUrl);
    await watching.query('create table public.one (); create table public.two ()');
    const { rows } = await watching.query<{ relname: string }>(
      "select relname from pg_class where relname in ('one', 'two') order by ctid",
    );
    const [first, second] = rows.map(({ relname }) => relname);
    const faster = await connect(superuserUrl);
    // So that PostgreSQL cancels the other one.
    await faster.query("set deadlock_timeout = '1h'");
    await faster.query(`begin; lock table public.${second} in access share mode`);
    const preparing = isReady();
    await expect
      .poll(async () => (await watching.query('select from pg_locks where not granted')).rowCount)
      .toBe(1);
    const locking = faster.query(`lock table public.${first} in access share mode`);
    expect(await preparing).toBe(false);
    await locking;
    await faster.query('rollback');
    expect(await isReady()).toBe(true);
  });
});
