import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { expect, it } from 'vitest';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { connectDatabase } from './connect.ts';
import { migrate } from './migrate.ts';

const database = databaseForFile();

const addColumn = (column: string): Migration => ({
  up: async (db) =>
    void (await sql`alter table versions.t add column ${sql.id(column)} text`.execute(db)),
});
const first: Migration = {
  up: async (db) => void (await sql`create table versions.t (a text)`.execute(db)),
};
const older = { schema: 'versions', migrations: { '001-first': first } };
const newer = { schema: 'versions', migrations: { '001-first': first, '002-b': addColumn('b') } };
const diverged = {
  schema: 'versions',
  migrations: { '001-first': first, '002-c': addColumn('c') },
};

it('lets an older version start on a newer schema, and rejects a diverged one', async () => {
  const db = connectDatabase<unknown>(database.url, { applicationName: 'test' });
  const columns = async () =>
    (
      await sql<{ name: string }>`
        select column_name as name from information_schema.columns where table_schema = 'versions' and table_name = 't'
        order by 1`.execute(db)
    ).rows.map(({ name }) => name);
  await migrate(db, older);
  await migrate(db, newer);
  await migrate(db, newer);
  expect(await columns()).toEqual(['a', 'b']);
  await migrate(db, older);
  expect(await columns()).toEqual(['a', 'b']);
  await expect(migrate(db, diverged)).rejects.toThrow(/002-b/);
  await db.destroy();
});
