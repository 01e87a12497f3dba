import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { preparePostgres } from '../postgres/launch.ts';
import { startProcess, type RunningProcess } from '../process/start-process.ts';
import { waitUntil } from '../process/wait-until.ts';
import { startWatchdog } from '../process/watchdog.ts';
import { prepareEventStore } from './event-store-launch.ts';
import { acquireLock } from './lock.ts';
import { choosePorts } from './ports.ts';
import { findRunningStack } from './stack-file.ts';

export type BorrowedStores = {
  readonly eventStoreUrl: string;
  readonly databaseUrl: string;
  /** Stops what had to be started. */
  readonly release: () => Promise<void>;
};

const readyWithinMs = 30_000;

/**
 * The stores for a tool such as the audit, wherever they are: those that the environment names, else those of
 * the stack that runs on DATA_DIR, else the embedded ones of that DATA_DIR, started for as long as the tool
 * needs them.
 * @throws one line that says what is missing, when there is neither a stack nor data to start from
 */
export async function borrowStores(
  dataDirectory: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<BorrowedStores> {
  const named = findRunningStack(dataDirectory)?.env;
  const eventStoreUrl = env['EVENT_STORE_URL'] || named?.['EVENT_STORE_URL'];
  const databaseUrl = env['DATABASE_URL'] || named?.['DATABASE_URL'];
  if (eventStoreUrl && databaseUrl) return { eventStoreUrl, databaseUrl, release: () => Promise.resolve() };
  if (!existsSync(join(dataDirectory, 'ports.json'))) {
    throw new Error(
      `No gateway runs on ${resolve(dataDirectory)}, and no data is there: set DATA_DIR, or EVENT_STORE_URL and DATABASE_URL`,
    );
  }
  return startStores(realpathSync(dataDirectory), env);
}

async function startStores(dataDir: string, env: NodeJS.ProcessEnv): Promise<BorrowedStores> {
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
    const start = async (
      store: Pick<Awaited<ReturnType<typeof preparePostgres>>, 'launch' | 'url' | 'isReady'>,
    ) => {
      const child = startProcess(store.launch, { watchdog });
      children.push(child);
      const ended = new AbortController();
      void child.exited.then(() => ended.abort(new Error(`${child.name} of ${dataDir} can't be started`)));
      await waitUntil(child.name, store.isReady, { timeoutMs: readyWithinMs, signal: ended.signal });
      return store.url;
    };
    const [eventStoreUrl, databaseUrl] = await Promise.all([
      env['EVENT_STORE_URL'] ||
        start(prepareEventStore({ folder: join(dataDir, 'event-store'), port: ports.eventStore })),
      env['DATABASE_URL'] ||
        preparePostgres({ folder: join(dataDir, 'postgres'), port: ports.postgres }).then(start),
    ]);
    return { eventStoreUrl, databaseUrl, release };
  } catch (error) {
    await release();
    throw error;
  }
}
