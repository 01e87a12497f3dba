import { Kysely, PostgresDialect } from 'kysely';
import {
  Pool,
  TypeOverrides,
  types as parsers,
  type Client,
  type ClientBase,
  type DatabaseError,
} from 'pg';

// Decimals and 64-bit integers stay the text that PostgreSQL sends: no binary floating point
// (R11.1).
const types = new TypeOverrides();
types.setTypeParser(parsers.builtins.INT8, (text: string) => text);
types.setTypeParser(parsers.builtins.NUMERIC, (text: string) => text);

type DatabaseOptions = {
  /** Shown in pg_stat_activity. */
  applicationName: string;
  maxConnections?: number;
  /** How long a query waits for a connection; 5 s by default. */
  connectWithinMs?: number;
  /** Ends a statement that takes longer. */
  statementTimeoutMs?: number;
  /**
   * Ends a connection whose query has no answer for this long; longer than any statement may take.
   */
  silenceMs?: number;
  /** PostgreSQL's settings for each connection, by name. */
  settings?: Readonly<Record<string, string>>;
};

/**
 * After these the connection is closing (08, 57P), or leads to a server that only reads: after a
 * failover a new one leads to the one that writes.
 */
const unusableStates = /^(08...|57P..|25006)$/;

type Connection = {
  stream: { destroy(error: Error): void };
  on(event: 'errorMessage', listener: (error: DatabaseError) => void): void;
};

/** The client's connection, which its types do not have. */
const rawConnection = (client: ClientBase): Connection =>
  (client as unknown as { connection: Connection }).connection;

/** A pool of connections to PostgreSQL, made when first used. `destroy()` ends it. */
export function connectDatabase<DB>(url: string, options: DatabaseOptions): Kysely<DB> {
  const pool = new Pool({
    connectionString: url,
    application_name: options.applicationName,
    max: options.maxConnections ?? 5,
    connectionTimeoutMillis: options.connectWithinMs ?? 5_000,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    keepAlive: true,
    types,
    ...(options.settings && { options: startOptions(options.settings) }),
  });
  // An idle connection that dies is replaced by the pool; without a listener it would end the
  // process.
  pool.on('error', () => undefined);
  const unusable = new WeakSet<ClientBase>();
  // The same goes for one that dies between two queries of a transaction: its next query reports
  // it.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    rawConnection(client).on('errorMessage', ({ code = '' }) => {
      if (unusableStates.test(code)) unusable.add(client);
    });
    if (options.silenceMs !== undefined) endWhenSilent(client, options.silenceMs);
  });
  // The pool discards a client that is ending; only now, so that a transaction is rolled back
  // first.
  pool.on('release', (_, client) => {
    if (unusable.has(client)) void (client as Client).end();
  });
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
}

const startOptions = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/**
 * Ends a connection whose query has had no answer for `timeoutMs`. PostgreSQL ends slow statements
 * by itself, but a server that hangs or a network that drops packets sends nothing, and the query
 * would wait for ever. The query fails as with any broken connection, and the pool opens another.
 */
function endWhenSilent(client: ClientBase, timeoutMs: number): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const { stream } = rawConnection(client);
  const watched = (...args: unknown[]) => {
    const result = query(...args);
    // Cursors have deadlines of their own.
    if (!(result instanceof Promise)) return result;
    const timer = setTimeout(
      () => stream.destroy(new Error(`PostgreSQL did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    return result.finally(() => clearTimeout(timer));
  };
  Object.assign(client, { query: watched });
}
