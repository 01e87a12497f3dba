import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { ColumnDefinition, Table } from '../read-model.ts';

type Rows<Row> = { table: Table<Row>; schema: string; rows: readonly Row[] };

/** A prepared statement with its values as text, ready to send. */
export type Write = <DB>(db: Kysely<DB>) => Promise<void>;

/** Writes rows by their primary key, see `upsert`. */
export async function upsertRows<DB, Row>(db: Kysely<DB>, rows: Rows<Row>): Promise<void> {
  await upsert(rows)(db);
}

/**
 * Upserts any number of rows by primary key in one statement. Each column is sent as one array of
 * text, and PostgreSQL parses each value as its column's type, so decimals stay exact. (Half the
 * work in PostgreSQL of one JSON text with all rows.)
 */
export function upsert<Row>({ table, schema, rows }: Rows<Row>): Write {
  if (rows.length === 0) return nothing;
  const columns = Object.keys(table.columns) as (keyof Row & string)[];
  const list = sql.join(columns.map((column) => sql.id(column)));
  const key = sql.join(table.primaryKey.map((column) => sql.id(column)));
  const changes = columns
    .filter((column) => !table.primaryKey.includes(column))
    .map((column) => sql`${sql.id(column)} = excluded.${sql.id(column)}`);
  const statement = sql`
    insert into ${sql.id(schema, table.name)} (${list})
    select * from ${recordset(table, rows, columns)}
    on conflict (${key}) do update set ${sql.join(changes)}`;
  return async (db) => void (await statement.execute(db));
}

const nothing: Write = async () => undefined;

/**
 * Updates some columns of rows by primary key in one statement, which throws RowsMissing if a row
 * is not there.
 */
export function update<Row, Changed extends keyof Row & string>({
  table,
  schema,
  rows,
  changed,
}: Omit<Rows<Row>, 'rows'> & {
  rows: readonly Pick<Row, Changed>[];
  changed: readonly Changed[];
}): Write {
  if (rows.length === 0) return nothing;
  const columns = [...table.primaryKey, ...changed];
  const key = table.primaryKey.map((column) => sql`t.${sql.id(column)} = r.${sql.id(column)}`);
  const changes = changed.map((column) => sql`${sql.id(column)} = r.${sql.id(column)}`);
  const input = recordset(table, rows as unknown as readonly Row[], columns);
  const list = sql.join(columns.map((column) => sql.id(column)));
  const statement = sql`
    update ${sql.id(schema, table.name)} t set ${sql.join(changes)}
    from ${input} as r (${list}) where ${sql.join(key, sql` and `)}`;
  return async (db) => {
    const { numAffectedRows } = await statement.execute(db);
    if (numAffectedRows === BigInt(rows.length)) return;
    throw new RowsMissing(
      `${rows.length} rows of ${table.name} were to change, ${numAffectedRows} did`,
    );
  };
}

/** Rows were deleted manually: an integrity error, in PostgreSQL's terms. */
class RowsMissing extends Error {
  readonly code = '23000';

  constructor(message: string) {
    super(message);
    this.name = 'RowsMissing';
  }
}

function recordset<Row>(
  { columns }: Table<Row>,
  rows: readonly Row[],
  names: readonly (keyof Row & string)[],
): RawBuilder<unknown> {
  const arrays = names.map((name) => {
    const type = sql.raw(`${baseType(columns[name])}[]`);
    return sql`${arrayText(rows.map((row) => row[name]))}::${type}`;
  });
  return sql`unnest(${sql.join(arrays)})`;
}

/** The type without its constraints. */
const baseType = ({ type }: ColumnDefinition): string => type.split(' ', 1)[0] ?? type;

/** What must be quoted in the text of an array. */
const special = /[{}",\\\s]|^$|^null$/i;

/** The text of a PostgreSQL array. Objects become JSON. */
export function arrayText(values: readonly unknown[]): string {
  return storableText(`{${values.map(elementText).join(',')}}`);
}

function elementText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return timeText(value);
  const text = typeof value === 'string' ? value : storableJson(value);
  return special.test(text) ? `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : text;
}

/** PostgreSQL accepts ISO 8601's year 0 only as 1 BC. */
function timeText(time: Date): string {
  const year = time.getUTCFullYear();
  const text = time.toISOString();
  if (year > 0) return text;
  return `"${String(1 - year).padStart(4, '0')}${text.slice(text.indexOf('-', 1))} BC"`;
}

const unstorable = /\\u(?:0000|d[89a-f])/;

/**
 * JSON that PostgreSQL accepts. Its text can't hold U+0000 or half of a surrogate pair. The log
 * can, and an event can't be refused, so these become U+FFFD.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!unstorable.test(json)) return json;
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'string' ? storableText(member) : member,
  );
}

/** A text as the tables hold it, see `storableJson`. */
export const storableText = (text: string): string =>
  text.toWellFormed().replaceAll('\0', '\uFFFD');
