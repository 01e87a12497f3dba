import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';

export type Migrations = {
  /** The PostgreSQL schema that the tables live in; each owner of tables has one of its own. */
  schema: string;
  /** By name, applied in the order of names: `001-…`, `002-…`. */
  migrations: Record<string, Migration>;
};

/**
 * Migrates a schema at every start of the service that owns it. Kysely's lock lets one instance do
 * it while the others wait. A schema of a newer version is left as it is: migrations only add, so
 * that two versions can run side by side.
 * @throws the error of the first migration that fails
 */
export async function migrate<DB>(
  db: Kysely<DB>,
  { schema, migrations }: Migrations,
): Promise<void> {
  await sql`create schema if not exists ${sql.id(schema)}`
    .execute(db)
    .catch(async (error: unknown) => {
      // If two instances create it at the same moment, one meets the other's row.
      const exists = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(db);
      if (exists.rows.length === 0) throw error;
    });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableSchema: schema,
    migrationTableName: 'migration',
    migrationLockTableName: 'migration_lock',
  });
  if (await isNewer(db, { schema, migrations })) return;
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** Whether all of these migrations were applied, and newer ones after them. */
async function isNewer<DB>(db: Kysely<DB>, { schema, migrations }: Migrations): Promise<boolean> {
  const table = await sql`
    select 1 from pg_tables where schemaname = ${schema} and tablename = 'migration'`.execute(db);
  if (table.rows.length === 0) return false;
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.id(schema, 'migration')} order by name`.execute(db);
  const applied = rows.map(({ name }) => name);
  const available = Object.keys(migrations).toSorted();
  return (
    applied.length > available.length && available.every((name, index) => applied[index] === name)
  );
}
