import { sql, type Kysely } from 'kysely';
import type { Table } from '../read-model.ts';

/**
 * Writes rows by their primary key in one statement, whatever their number: they travel as one JSON text and PostgreSQL
 * gives each value its column's type, so that decimals stay exact.
 */
export async function upsertRows<DB, Row>(
  db: Kysely<DB>,
  { table, schema, rows }: { table: Table<Row>; schema: string; rows: readonly Row[] },
): Promise<void> {
  if (rows.length === 0) return;
  const name = sql.id(schema, table.name);
  const columns = Object.keys(table.columns);
  const list = sql.join(columns.map((column) => sql.id(column)));
  const changes = columns
    .filter((column) => column !== table.primaryKey)
    .map((column) => sql`${sql.id(column)} = excluded.${sql.id(column)}`);
  await sql`
    insert into ${name} (${list})
    select ${list} from json_populate_recordset(null::${name}, ${storableJson(rows)}::json)
    on conflict (${sql.id(table.primaryKey)}) do update set ${sql.join(changes)}`.execute(db);
}

const suspicious = /\\u(?:0000|d[89a-f])/i;

/**
 * JSON that PostgreSQL takes: text there can hold neither U+0000 nor half of a surrogate pair. The log can, and a fact
 * is never refused, so they become U+FFFD.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!suspicious.test(json)) return json;
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'string' ? member.toWellFormed().replaceAll('\0', '\uFFFD') : member,
  );
}
