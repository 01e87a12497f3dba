import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { connectDatabase } from './connect.ts';
import { releaseSessionLocks, trySessionLock } from './session-lock.ts';

const database = databaseForFile();

const connect = () => connectDatabase<unknown>(database.url, { applicationName: 'test' });

it('is held by one connection until released, then by the next', async () => {
  const [first, second] = [connect(), connect()];
  await first.connection().execute(async (holder) => {
    expect(await trySessionLock(holder, 'a')).toBe(true);
    await second.connection().execute(async (other) => {
      expect(await trySessionLock(other, 'a')).toBe(false);
      expect(await trySessionLock(other, 'b')).toBe(true);
      await releaseSessionLocks(holder);
      expect(await trySessionLock(other, 'a')).toBe(true);
    });
  });
  await Promise.all([first.destroy(), second.destroy()]);
});

it('is released from an unresponsive holder, whose later writes fail', async () => {
  const [silent, next] = [connect(), connect()];
  await sql`create table written (by text)`.execute(next);
  await silent.connection().execute(async (holder) => {
    expect(await trySessionLock(holder, 'c', 300)).toBe(true);
    await next.connection().execute(async (other) => {
      await eventually('the lock is free', () => trySessionLock(other, 'c'), { intervalMs: 50 });
      await releaseSessionLocks(other);
    });
    await expect(sql`insert into written values ('late')`.execute(holder)).rejects.toThrow(/./);
  });
  expect((await sql`select * from written`.execute(next)).rows).toEqual([]);
  await Promise.all([silent.destroy(), next.destroy()]);
});
