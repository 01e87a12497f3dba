import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { forFile } from '../tests/for-file.ts';

export type TestDatabase = Awaited<ReturnType<typeof createDatabase>>;

/** An empty database. */
export async function createDatabase(serverUrl: string = inject('databaseUrl')) {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    /** Drops it, even with open connections. */
    drop: () => execute(serverUrl, `drop database if exists ${name} with (force)`),
  };
}

/** An empty database for a test file of the project `integration`. */
export const databaseForFile = (): TestDatabase => forFile(createDatabase);

/** An empty database that is dropped when the test is over. */
export async function useDatabase(): Promise<string> {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  return url;
}

const execute = async (url: string, text: string): Promise<void> => void (await query(url, text));

/** The rows of a query on a connection of its own. */
export async function query<Row extends object>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
