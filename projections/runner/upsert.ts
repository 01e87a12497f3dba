import { sql, type Kysely } from 'kysely';
import type { Table } from '../read-model.ts';

type Rows<Row> = { table: Table<Row>; schema: string; rows: readonly Row[] };

/**
 * Writes rows by their primary key in one statement, whatever their number: they travel as one JSON text and PostgreSQL
 * gives each value its column's type, so that decimals stay exact.
 */
export async function upsertRows<DB, Row>(db: Kysely<DB>, { table, schema, rows }: Rows<Row>): Promise<void> {
  if (rows.length === 0) return;
  const name = sql.id(schema, table.name);
  const columns = Object.keys(table.columns);
  const list = sql.join(columns.map((column) => sql.id(column)));
  const key = sql.join(table.primaryKey.map((column) => sql.id(column)));
  const changes = otherColumns(table).map((column) => sql`${sql.id(column)} = excluded.${sql.id(column)}`);
  await sql`
    insert into ${name} (${list})
    select ${list} from json_populate_recordset(null::${name}, ${storableJson(rows)}::json)
    on conflict (${key}) do update set ${sql.join(changes)}`.execute(db);
}

/**
 * Changes some columns of rows that are there, by their primary key and in one statement.
 * @throws RowsMissing when one of them is not there
 */
export async function updateRows<DB, Row, Column extends keyof Row & string>(
  db: Kysely<DB>,
  {
    table,
    schema,
    rows,
    columns,
  }: Omit<Rows<Row>, 'rows'> & { rows: readonly Pick<Row, Column>[]; columns: readonly Column[] },
): Promise<void> {
  if (rows.length === 0) return;
  const name = sql.id(schema, table.name);
  const key = table.primaryKey.map((column) => sql`t.${sql.id(column)} = r.${sql.id(column)}`);
  const changes = columns.map((column) => sql`${sql.id(column)} = r.${sql.id(column)}`);
  const { numAffectedRows } = await sql`
    update ${name} t set ${sql.join(changes)}
    from json_populate_recordset(null::${name}, ${storableJson(rows)}::json) r
    where ${sql.join(key, sql` and `)}`.execute(db);
  if (numAffectedRows !== BigInt(rows.length)) {
    throw new RowsMissing(`${rows.length} rows of ${table.name} were to change, ${numAffectedRows} did`);
  }
}

/** Somebody has taken rows out of a table. An error of integrity, as PostgreSQL calls those. */
export class RowsMissing extends Error {
  readonly code = '23000';

  constructor(message: string) {
    super(message);
    this.name = 'RowsMissing';
  }
}

const otherColumns = <Row>({ columns, primaryKey }: Table<Row>): string[] =>
  Object.keys(columns).filter((column) => !(primaryKey as readonly string[]).includes(column));

const suspicious = /\\u(?:0000|d[89a-f])/i;

/**
 * JSON that PostgreSQL takes: text there can hold neither U+0000 nor half of a surrogate pair. The log can, and a fact
 * is never refused, so they become U+FFFD.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!suspicious.test(json)) return json;
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'string' ? storableText(member) : member,
  );
}

/** A text as the tables hold it, see `storableJson`. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');
