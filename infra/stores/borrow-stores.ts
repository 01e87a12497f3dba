import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { preparePostgres } from '../postgres/launch.ts';
import { startProcess, type RunningProcess } from '../process/start-process.ts';
import { waitUntil } from '../process/wait-until.ts';
import { startWatchdog } from '../process/watchdog.ts';
import { prepareEventStore } from '#infra/stores/launch-event-store.ts';
import { acquireLock } from '#infra/stores/lock.ts';
import { choosePorts } from '#infra/stores/ports.ts';
import { findRunningStack } from './stack-file.ts';
import type { StoreLaunch } from './store-launch.ts';
import { hostsAndDatabase, stoppedStores, type StoppedStore } from './stores-file.ts';

type BorrowedStores = {
  readonly eventStoreUrl: string;
  /**
   * Undefined if none is needed, or none is known for an event store that the environment names.
   */
  readonly databaseUrl: string | undefined;
  /** Stops what had to be started. */
  readonly release: () => Promise<void>;
};

/**
 * Finds the stores for a tool such as the audit: those that the environment names, else those of
 * the stack that runs on DATA_DIR, else the embedded ones of its last start, started for as long as
 * the tool runs. It creates no store, because a tool would then report on an empty one.
 * @throws a message of one line that names what is missing
 */
export async function borrowStores(
  dataDirectory: string,
  env: NodeJS.ProcessEnv = process.env,
  { withDatabase = true }: { withDatabase?: boolean } = {},
): Promise<BorrowedStores> {
  const running = findRunningStack(dataDirectory)?.env;
  const eventStoreUrl = env['EVENT_STORE_URL'] || running?.['EVENT_STORE_URL'];
  const databaseUrl = withDatabase ? env['DATABASE_URL'] || running?.['DATABASE_URL'] : undefined;
  const release = () => Promise.resolve();
  const named = { eventStoreUrl, databaseUrl };
  if (eventStoreUrl && (databaseUrl || !withDatabase))
    return { eventStoreUrl, databaseUrl, release };
  const folder = resolve(dataDirectory);
  const { eventStore, postgres } = stoppedStores(folder);
  if (!eventStoreUrl)
    requireEmbedded(eventStore, { folder, what: 'event store', variable: 'EVENT_STORE_URL' });
  // The data in DATA_DIR was made from the log of its last start, and from no other.
  else if (eventStore.kind !== 'named' && postgres.kind !== 'named')
    return { eventStoreUrl, databaseUrl: undefined, release };
  else if (eventStore.kind === 'named' && eventStore.host !== hostsAndDatabase(eventStoreUrl))
    throw new Error(
      lastRanOn({ folder, what: 'event store', variable: 'DATABASE_URL' }, eventStore.host),
    );
  const startPostgres = withDatabase && !databaseUrl;
  if (startPostgres)
    requireEmbedded(postgres, { folder, what: 'PostgreSQL', variable: 'DATABASE_URL' });
  const { eventStoreUrl: started = '', ...rest } = await startStores(realpathSync(folder), named, {
    eventStore: !eventStoreUrl,
    postgres: startPostgres,
  });
  return { ...rest, eventStoreUrl: started };
}

/**
 * The database alone, for a tool that does not read the log, found as by `borrowStores`.
 * @throws a message of one line that names what is missing
 */
export async function borrowDatabase(
  dataDirectory: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ databaseUrl: string; release: () => Promise<void> }> {
  const named = env['DATABASE_URL'] || findRunningStack(dataDirectory)?.env['DATABASE_URL'];
  if (named) return { databaseUrl: named, release: () => Promise.resolve() };
  const folder = resolve(dataDirectory);
  requireEmbedded(stoppedStores(folder).postgres, {
    folder,
    what: 'PostgreSQL',
    variable: 'DATABASE_URL',
  });
  const nothing = { eventStoreUrl: undefined, databaseUrl: undefined };
  const wanted = { eventStore: false, postgres: true };
  const { databaseUrl = '', release } = await startStores(realpathSync(folder), nothing, wanted);
  return { databaseUrl, release };
}

type StoreRequest = { folder: string; what: string; variable: string };

/** @throws if starting it would make a new one */
function requireEmbedded(store: StoppedStore, request: StoreRequest): void {
  const { folder, what, variable } = request;
  if (store.kind === 'named') throw new Error(lastRanOn(request, store.host));
  if (store.kind === 'none')
    throw new Error(
      `No gateway runs on ${folder}, and no data of an embedded ${what} is there: set DATA_DIR, or ${variable}`,
    );
}

const lastRanOn = ({ folder, what, variable }: StoreRequest, host: string): string =>
  `The gateway of ${folder} last ran on the ${what} at ${host}, which is not named now: set ${variable}`;

async function startStores(
  dataDir: string,
  named: { eventStoreUrl: string | undefined; databaseUrl: string | undefined },
  wanted: { eventStore: boolean; postgres: boolean },
): Promise<Omit<BorrowedStores, 'eventStoreUrl'> & { readonly eventStoreUrl: string | undefined }> {
  const lock = await acquireLock(dataDir);
  if (lock === undefined)
    throw new Error(`${dataDir} is in use by a gateway that is starting or stopping: try again`);
  const watchdog = startWatchdog();
  const children: RunningProcess[] = [];
  const release = async () => {
    await Promise.all(children.map((child) => child.stop(15_000)));
    await watchdog.close();
    await lock.release();
  };
  try {
    const ports = await choosePorts(dataDir, {});
    const start = async (store: StoreLaunch) => {
      const child = startProcess(store.launch, { watchdog });
      children.push(child);
      const ended = new AbortController();
      void child.exited.then(() =>
        ended.abort(new Error(`${child.name} of ${dataDir} can't be started`)),
      );
      await waitUntil(child.name, store.isReady, { signal: ended.signal });
      return store.url;
    };
    const [eventStoreUrl, databaseUrl] = await Promise.all([
      wanted.eventStore
        ? start(prepareEventStore({ folder: join(dataDir, 'event-store'), port: ports.eventStore }))
        : named.eventStoreUrl,
      wanted.postgres
        ? preparePostgres({ folder: join(dataDir, 'postgres'), port: ports.postgres }).then(start)
        : named.databaseUrl,
    ]);
    return { eventStoreUrl, databaseUrl, release };
  } catch (error) {
    await release();
    throw error;
  }
}
