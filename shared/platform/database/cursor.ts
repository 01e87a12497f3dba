import { sql, type Kysely, type RawBuilder } from 'kysely';

type CursorOptions = {
  /** The number of rows in memory at a time. */
  batchRows: number;
  /** PostgreSQL's settings for the read, by name. */
  settings?: Readonly<Record<string, string>>;
};

/**
 * The rows of a query of any size in batches, all from one snapshot. It holds a connection until it
 * is read to its end or `return()` is called; each batch is fetched on demand.
 */
export async function* readByCursor<Row, DB = unknown>(
  db: Kysely<DB>,
  query: RawBuilder<Row>,
  { batchRows, settings = {} }: CursorOptions,
): AsyncGenerator<Row[], void, void> {
  const transaction = await db.startTransaction().setAccessMode('read only').execute();
  try {
    for (const [name, value] of Object.entries(settings))
      await sql`select set_config(${name}, ${value}, true)`.execute(transaction);
    await sql`declare read_by_cursor no scroll cursor for ${query}`.execute(transaction);
    const fetch = sql<Row>`fetch ${sql.lit(batchRows)} from read_by_cursor`;
    for (;;) {
      const { rows } = await fetch.execute(transaction);
      if (rows.length > 0) yield rows;
      if (rows.length < batchRows) return;
    }
  } finally {
    // A broken cursor is gone with its connection.
    await transaction
      .rollback()
      .execute()
      .catch(() => undefined);
  }
}
