import { sql, type Kysely } from 'kysely';
import type { ReadModel, Table } from '../read-model.ts';
import { commentOn } from './comments.ts';

/**
 * Creates a read model's tables with their comments. Indexes are made separately, because they are
 * cheaper to build at the end.
 */
export async function createTables<DB>(
  db: Kysely<DB>,
  model: ReadModel,
  schema: string,
): Promise<void> {
  for (const table of model.tables) {
    const name = sql.id(schema, table.name);
    const columns = Object.entries(table.columns).map(([column, { type, references }]) => {
      const foreign =
        references === undefined ? sql`` : sql` references ${sql.id(schema, references)}`;
      return sql`${sql.id(column)} ${sql.raw(type)}${foreign}`;
    });
    const key = sql`primary key (${sql.join(table.primaryKey.map((column) => sql.id(column)))})`;
    await sql`create table ${name} (${sql.join([...columns, key], sql`, `)})`.execute(db);
    const columnComments = Object.entries(table.columns).map(
      ([column, { comment }]) => [column, comment] as const,
    );
    await commentOn(db, 'table', { ...table, schema }, columnComments);
  }
}

export async function createIndexes<DB>(
  db: Kysely<DB>,
  model: ReadModel,
  schema: string,
): Promise<void> {
  for (const table of model.tables) {
    for (const { on, unique, using = 'btree', where } of table.indexes) {
      const kind = sql.raw(unique ? 'unique index' : 'index');
      await sql`create ${kind} on ${sql.id(schema, table.name)} using ${sql.raw(using)} (${sql.raw(on)})
        ${sql.raw(where === undefined ? '' : `where ${where}`)}`.execute(db);
    }
  }
}

/** Drops tables, those that refer to others first. A view on one of them makes that fail. */
export async function dropTables<DB>(
  db: Kysely<DB>,
  tables: readonly Pick<Table, 'name'>[],
  schema: string,
): Promise<void> {
  for (const { name } of tables.toReversed()) {
    await sql`drop table if exists ${sql.id(schema, name)}`.execute(db);
  }
}
