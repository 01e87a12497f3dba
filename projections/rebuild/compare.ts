import { sql, type Kysely } from 'kysely';
import type { ReadModel, Table } from '../read-model.ts';

type Difference = {
  table: string;
  /** The primary key, its columns joined by spaces. */
  key: string;
  /** `missing`: only the rebuilt table has it; `surplus`: only the live one. */
  kind: 'missing' | 'surplus' | 'differs';
  columns: { column: string; live: string | null; rebuilt: string | null }[];
};

export type RowComparison = {
  /** How many rows differ, in all tables. */
  different: number;
  /** The first of them. */
  examples: Difference[];
};

const examplesPerTable = 10;

/** Compares the tables of a read model in two schemas, row by row and column by column. */
export async function compareTables<DB>(
  db: Kysely<DB>,
  model: ReadModel,
  { live, rebuilt }: { live: string; rebuilt: string },
): Promise<RowComparison> {
  const comparison: RowComparison = { different: 0, examples: [] };
  for (const table of model.tables) {
    const comparedTable = await compareTable(db, table, { live, rebuilt });
    comparison.different += comparedTable.different;
    comparison.examples.push(...comparedTable.examples);
  }
  return comparison;
}

type Row = {
  total: string;
  key: string;
  live: (string | null)[] | null;
  rebuilt: (string | null)[] | null;
};

async function compareTable<DB>(
  db: Kysely<DB>,
  table: Table,
  { live, rebuilt }: { live: string; rebuilt: string },
): Promise<RowComparison> {
  const columns = Object.keys(table.columns);
  const all = (alias: string) => sql.join(columns.map((column) => sql.id(alias, column)));
  // A primary key is only null in a row that one of the two does not have.
  const texts = (alias: string) =>
    sql`case when ${sql.id(alias, table.primaryKey[0] ?? '')} is not null then
      array[${sql.join(columns.map((column) => sql`${sql.id(alias, column)}::text`))}] end`;
  const { primaryKey } = table;
  const key = primaryKey.map((column) => sql`coalesce(l.${sql.id(column)}, r.${sql.id(column)})`);
  const same = primaryKey.map((column) => sql`l.${sql.id(column)} = r.${sql.id(column)}`);
  const { rows } = await sql<Row>`
    select count(*) over () as total, concat_ws(' ', ${sql.join(key)}) as key,
      ${texts('l')} as live, ${texts('r')} as rebuilt
    from ${sql.id(live, table.name)} l
    full join ${sql.id(rebuilt, table.name)} r on ${sql.join(same, sql` and `)}
    where row(${all('l')}) is distinct from row(${all('r')})
    order by ${sql.join(key)} limit ${examplesPerTable}`.execute(db);
  const examples = rows.map((row) => difference(table, columns, row));
  return { different: Number(rows[0]?.total ?? 0), examples };
}

function difference(table: Table, columns: string[], { key, live, rebuilt }: Row): Difference {
  const kind = live === null ? 'missing' : rebuilt === null ? 'surplus' : 'differs';
  const both = columns.map((column, index) => ({
    column,
    live: live?.[index] ?? null,
    rebuilt: rebuilt?.[index] ?? null,
  }));
  return {
    table: table.name,
    key,
    kind,
    columns: kind === 'differs' ? both.filter((each) => each.live !== each.rebuilt) : [],
  };
}
