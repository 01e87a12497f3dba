import { hash } from 'node:crypto';
import { Pool, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import { variable } from '../targets/serve.ts';

/** A connection, or the pool that lends one. */
export type On = {
  query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>>;
};

export const pool = new Pool({ connectionString: variable('DATABASE_URL'), max: 20 });
pool.on('error', (error) => process.stderr.write(`${error.message}\n`));

/** A statement that is prepared once on each connection. */
export function statement<Row extends QueryResultRow>(text: string) {
  const name = hash('md5', text);
  return async (on: On, ...values: unknown[]): Promise<Row[]> =>
    (await on.query<Row>({ name, text, values })).rows;
}

/** What throws has changed nothing. */
export async function transaction<T>(work: (on: On) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    await client.query('rollback').then(
      () => client.release(),
      (lost: Error) => client.release(lost),
    );
    throw error;
  }
}
