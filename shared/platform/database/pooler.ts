import { setTimeout as delay } from 'node:timers/promises';
import { Client, type DatabaseError } from 'pg';
import { ConfigError } from '#shared/platform/config/load.ts';

/** Enough for a pooler whose other clients use its connections meanwhile. */
const rounds = 5;
const retryPauseMs = 1_000;
/** For one step of a check that is repeated. */
const timeoutMs = 5_000;

/**
 * Resolves once PostgreSQL answers by itself, or through a pooler that gives each client a session
 * of its own; also after the signal.
 * @throws ConfigError if DATABASE_URL leads to any other pooler
 */
export async function refusePooler(databaseUrl: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await checkSessions(databaseUrl);
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      await delay(retryPauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** @throws ConfigError as `refusePooler`; any other error if it does not answer */
export async function checkSessions(databaseUrl: string): Promise<void> {
  const clients = [connect(databaseUrl), connect(databaseUrl)] as const;
  try {
    for (const client of clients) await client.connect();
    if (await shareBackends(...clients))
      refuse(
        'in transaction mode, which loses session locks, LISTEN and startup options: it must lead to PostgreSQL itself',
      );
  } catch (error) {
    const { code, message } = error as Partial<DatabaseError>;
    // Only a pooler refuses the startup options that every PostgreSQL has.
    if (code === '08P01') refuse(`that refuses startup options (${message})`);
    throw error;
  } finally {
    for (const client of clients) void client.end().catch(() => undefined);
  }
}

function refuse(which: string): never {
  throw new ConfigError([`DATABASE_URL: leads to a connection pooler ${which}`]);
}

function connect(connectionString: string): Client {
  const client = new Client({
    connectionString,
    application_name: 'gateway-check',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    // As in `connectDatabase`.
    statement_timeout: timeoutMs,
    options: '-c synchronous_commit=on',
  });
  // The calls report it.
  client.on('error', () => undefined);
  return client;
}

/**
 * Whether two connections share processes of PostgreSQL, which those with sessions of their own
 * never do. A pooler gives the second the process that the first has just used, or each the next
 * one of several.
 */
async function shareBackends(first: Client, second: Client): Promise<boolean> {
  const seen = { first: new Set<number>(), second: new Set<number>() };
  for (let round = 0; round < rounds; round += 1) {
    seen.first.add(await readBackendPid(first));
    seen.second.add(await readBackendPid(second)).add(await readBackendPid(second));
  }
  const all = new Set([...seen.first, ...seen.second]);
  return seen.first.size > 1 || seen.second.size > 1 || all.size < 2;
}

async function readBackendPid(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}
