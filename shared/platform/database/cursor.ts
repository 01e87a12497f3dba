import { sql, type Kysely, type RawBuilder } from 'kysely';

type CursorOptions = {
  /** So many rows are in memory at a time. */
  batchRows: number;
  /** PostgreSQL's settings while it reads, by name. */
  settings?: Readonly<Record<string, string>>;
};

/**
 * The rows of a query of whatever size, batch by batch, all of one moment. It holds a connection
 * until it is read to its end or `return()` is called; the next batch is fetched when it is asked
 * for.
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
    // One that broke is gone with its connection.
    await transaction
      .rollback()
      .execute()
      .catch(() => undefined);
  }
}
