import { sql, type Kysely, type Transaction } from 'kysely';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { grantToAnalysts } from './analyst-role.ts';
import { readCheckpoint, type ProjectionTarget } from './checkpoint.ts';
import { limitReaders } from './reader-limits.ts';
import { createIndexes, createTables, dropTables } from './tables.ts';
import { dropViewsOn, ensureViews, type ViewOptions } from './views.ts';

/**
 * Makes a read model's live tables if there are none, and the views that waited for them.
 * @returns `outdated` when the tables were made by another version: they must be rebuilt
 */
export async function prepareTables<DB>(
  db: Kysely<DB>,
  target: ProjectionTarget,
  options: { logger: Logger } & Pick<ViewOptions, 'views'>,
): Promise<'ready' | 'outdated'> {
  const { model, schema } = target;
  const { logger } = options;
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('projections: prepare', 0))`.execute(
      tx,
    );
    const checkpoint = await readCheckpoint(tx, target);
    if (checkpoint && checkpoint.version !== model.version) return 'outdated';
    if (checkpoint && (await allThere(tx, target))) {
      await ensureViews(tx, options);
      await limitReaders(tx);
      return 'ready';
    }
    if (checkpoint)
      logger.warn({ schema, projection: model.name }, 'a table is missing: rebuilding it');
    await sql`create schema if not exists ${sql.id(schema)}`.execute(tx);
    await dropViewsOn(tx, model, options.views);
    await makeEmpty(tx, target);
    await createIndexes(tx, model, schema);
    await ensureViews(tx, options);
    await grantToAnalysts(tx, { schema, logger });
    await limitReaders(tx);
    return 'ready';
  });
}

/**
 * Makes tables without rows, and without indexes except primary keys, and a checkpoint before the
 * first event.
 */
export async function makeEmpty<DB>(
  tx: Transaction<DB>,
  { model, schema }: ProjectionTarget,
): Promise<void> {
  await dropTables(tx, model.tables, schema);
  await createTables(tx, model, schema);
  await sql`delete from projections.status where schema = ${schema} and name = ${model.name}`.execute(
    tx,
  );
  await sql`insert into projections.status (schema, name, version)
    values (${schema}, ${model.name}, ${model.version})`.execute(tx);
}

async function allThere<DB>(
  tx: Transaction<DB>,
  { model, schema }: ProjectionTarget,
): Promise<boolean> {
  const names = model.tables.map(({ name }) => name);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_tables
    where schemaname = ${schema} and tablename = any(${names})`.execute(tx);
  return rows[0]?.count === names.length;
}
