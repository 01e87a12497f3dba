import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Client, DatabaseError, type ClientConfig } from 'pg';
import { runAsCommand } from '../process/run-as.ts';
import { readPassword } from '../stores/password-file.ts';
import type { StoreLaunch } from '../stores/store-launch.ts';
import { findPostgres } from './binaries.ts';
import {
  database,
  ensureCluster,
  readServicesPassword,
  removeStaleLock,
  superuser,
} from './cluster.ts';
import { prepareServicesRole, servicesRole } from './services-role.ts';
import { prepareFolder } from './user.ts';

/** `url` is for the services, whose role is not a superuser. */
type PostgresLaunch = StoreLaunch & { readonly superuserUrl: string };

type PostgresOptions = {
  /** The folder with all its data; created if missing. */
  readonly folder: string;
  readonly port: number;
};

/** The services' URL for the database in that folder, whether it runs or not. */
export function postgresUrl({ folder, port }: PostgresOptions): string {
  return `postgres://${servicesRole}:${readServicesPassword(folder)}@127.0.0.1:${port}/${database}`;
}

/** PostgreSQL's shared buffers. */
export const sharedBuffers = '128MB';

// For two cores that a whole stack shares. Other settings keep their defaults; durability settings
// are explicit, because the state of webhooks relies on them.
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: sharedBuffers,
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_level: 'replica',
  max_wal_size: '1GB',
  // As usual; with segments of 1 MB (cluster.ts) it would be 5 MB.
  min_wal_size: '80MB',
  max_logical_replication_workers: '0',
  max_worker_processes: '4',
  max_parallel_workers_per_gather: '1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '',
  log_checkpoints: 'off',
  // Processes that wait for reads and for pages to write, which need not wake up while there are
  // none.
  io_method: 'sync',
  bgwriter_delay: '1s',
  wal_writer_delay: '1s',
  // A tenth of a core instead of half of one, and ten times as long: under load it delayed creates
  // for seconds.
  autovacuum_vacuum_cost_delay: '20ms',
  // A vacuum's writes reach the disk continuously, not all at once half a minute later, when the
  // event store's commits would wait for them.
  backend_flush_after: '256kB',
};

/**
 * Prepares the embedded PostgreSQL (the first time that includes making its cluster, about a
 * second) and returns the command that starts it. It listens on 127.0.0.1 alone, without a unix
 * socket.
 * @throws a message of one line with the remedy, when it can't run here; when the signal is aborted
 */
export async function preparePostgres({
  folder,
  port,
  signal,
}: PostgresOptions & { readonly signal?: AbortSignal }): Promise<PostgresLaunch> {
  const binaries = findPostgres();
  const runAs = prepareFolder(folder, binaries.folder);
  const real = realpathSync(folder);
  await ensureCluster(real, binaries, { runAs, signal });
  removeStaleLock(real);
  const { command, args } = runAsCommand(runAs, binaries.postgres, [
    '-D',
    join(real, 'data'),
    '-p',
    String(port),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const { uid, gid } = runAs;
  const password = readPassword(real);
  const connection = { host: '127.0.0.1', port, user: superuser, password };
  return {
    launch: {
      name: 'postgres',
      command,
      args,
      cwd: '/',
      env: { PATH: process.env['PATH'], TZ: 'UTC' },
      // A fast shutdown: transactions are rolled back, committed data is written.
      stopSignal: 'SIGINT',
      ...(uid === undefined || gid === undefined ? {} : { uid, gid }),
    },
    url: postgresUrl({ folder: real, port }),
    superuserUrl: `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`,
    isReady: () => isReady(connection, readServicesPassword(real)),
  };
}

/**
 * Whether it has the gateway's database and its owner; a cluster of an older version gets them
 * here.
 * @throws PostgreSQL's error if it refuses to create them
 */
async function isReady(connection: ClientConfig, servicesPassword: string): Promise<boolean> {
  try {
    await asSuperuser(connection, 'postgres', async (client) => {
      const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [
        database,
      ]);
      if (rowCount === 0) await client.query(`create database ${database}`);
    });
    await asSuperuser(connection, database, (client) =>
      prepareServicesRole(client, servicesPassword),
    );
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.severity === 'ERROR' && !passes(error)) throw error;
    return false;
  }
}

/**
 * Whether the same may succeed a moment later: a conflict with another client (40, 55), a lack of
 * resources (53), a shutdown (57) or a failure of the system (58). A conflict in the catalogue has
 * no code of its own.
 */
const passes = ({ code = '', message }: DatabaseError): boolean =>
  /^(40|53|55|57|58)/.test(code) || message === 'tuple concurrently updated';

async function asSuperuser(
  connection: ClientConfig,
  name: string,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({
    ...connection,
    database: name,
    // Objects of the services' role must not run as the superuser, and no failed statement with a
    // password may be logged.
    options: '-c search_path=pg_catalog,pg_temp -c log_min_error_statement=panic',
    connectionTimeoutMillis: 5000,
    query_timeout: 15_000,
  });
  // A connection that breaks between two calls is reported by the call.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
