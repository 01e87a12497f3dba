import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { query, useDatabase } from '#infra/verify/harness/stores/database.ts';
import { connectDatabase } from './connect.ts';
import { trySessionLock } from './session-lock.ts';

/** A pool of one connection, whose server accepts writes or only reads from new sessions. */
async function usePool() {
  const url = await useDatabase();
  const db = connectDatabase<unknown>(url, { applicationName: 'failover-test', maxConnections: 1 });
  onTestFinished(() => db.destroy());
  await query(url, 'create table written (n int)');
  const name = new URL(url).pathname.slice(1);
  const execute = (statements: string) =>
    query(url, `begin read write; ${statements}; commit`).then(() => undefined);
  return {
    db,
    isSleeping: async () =>
      (
        await query(
          url,
          `select from pg_stat_activity 
        where datname = current_database() and wait_event = 'PgSleep'`,
        )
      ).length > 0,
    write: () => sql`insert into written values (1)`.execute(db),
    setReadOnly: (on: boolean) =>
      execute(`alter database ${name} set default_transaction_read_only = ${on}`),
    terminateSessions: () =>
      execute(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`),
  };
}

const readOnly = { code: '25006' };

it('replaces a connection that only reads, once its statement was refused (R19.11)', async () => {
  const { write, setReadOnly } = await usePool();
  await setReadOnly(true);
  await expect(write()).rejects.toMatchObject(readOnly);
  await setReadOnly(false);
  await write();
});

it('rolls a transaction back first, and rejects with its own error', async () => {
  const { db, write, setReadOnly } = await usePool();
  await setReadOnly(true);
  const writing = db.transaction().execute((tx) => sql`insert into written values (1)`.execute(tx));
  await expect(writing).rejects.toMatchObject(readOnly);
  await setReadOnly(false);
  await write();
});

it('replaces a held connection when it is released', async () => {
  const { db, write, setReadOnly } = await usePool();
  await setReadOnly(true);
  await db.connection().execute(async (session) => {
    await expect(sql`create table other (n int)`.execute(session)).rejects.toMatchObject(readOnly);
    await sql`select 1`.execute(session);
  });
  await setReadOnly(false);
  await write();
});

it('takes no lock on a server that only reads, and leaves it', async () => {
  const { db, setReadOnly } = await usePool();
  const tryLock = () => db.connection().execute((session) => trySessionLock(session, 'a'));
  await setReadOnly(true);
  await expect(tryLock()).rejects.toMatchObject(readOnly);
  await setReadOnly(false);
  expect(await tryLock()).toBe(true);
});

it('gives a waiting query a new connection when that of the former is terminated', async () => {
  const { db, write, isSleeping, terminateSessions } = await usePool();
  const terminated = sql`select pg_sleep(60)`.execute(db).catch((error: unknown) => error);
  const waiting = write();
  await eventually('the query runs', isSleeping);
  await terminateSessions();
  expect(await terminated).toMatchObject({ code: '57P01' });
  await waiting;
});

it('retains a connection after any other error', async () => {
  const { db } = await usePool();
  const pid = async () =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows;
  const before = await pid();
  await expect(sql`select 1 / 0`.execute(db)).rejects.toMatchObject({ code: '22012' });
  expect(await pid()).toEqual(before);
});
