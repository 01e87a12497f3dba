import { join } from 'node:path';
import { prepareNats } from '#infra/nats/launch.ts';
import { preparePostgres } from '#infra/postgres/launch.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { startUntilReady, type Launch, type RunningProcess } from '#infra/process/start-process.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { prepareTestEventStore } from './external-store.ts';
import { makeTempFolder, removeFolder } from '../processes/temp-folder.ts';

export type StoreName = 'event-store' | 'postgres' | 'nats';

export type EmbeddedStores = {
  readonly urls: Partial<Record<StoreName, string>>;
  readonly processes: Partial<Record<StoreName, RunningProcess>>;
  /** Stops them and removes their data. */
  readonly stop: () => Promise<void>;
};

export type PreparedStore = { launch: Launch; url: string; isReady: () => Promise<boolean> };

/** The URL of PostgreSQL is its superuser's. */
export const prepareStore: Record<
  StoreName,
  (
    options: { folder: string; port: number },
    env?: NodeJS.ProcessEnv,
  ) => Promise<PreparedStore> | PreparedStore
> = {
  'event-store': prepareTestEventStore,
  postgres: async (options) => {
    const { superuserUrl, ...store } = await preparePostgres(options);
    return { ...store, url: superuserUrl };
  },
  nats: prepareNats,
};

/**
 * Starts the named stores on empty folders and free ports, all at once; `env` may have an
 * EVENT_STORE_COMMAND. They end with this process, however it ends.
 * @throws when one does not get ready, with its last output; nothing is left then.
 */
export async function startEmbeddedStores(
  names: readonly StoreName[],
  env?: NodeJS.ProcessEnv,
): Promise<EmbeddedStores> {
  const root = makeTempFolder();
  const watchdog = startWatchdog();
  const processes: Partial<Record<StoreName, RunningProcess>> = {};
  const urls: Partial<Record<StoreName, string>> = {};

  const start = async (name: StoreName) => {
    const place = { folder: join(root, name), port: await findFreePort() };
    const store = await prepareStore[name](place, env);
    urls[name] = store.url;
    processes[name] = await startUntilReady(store, { watchdog });
  };

  const stop = async () => {
    await Promise.all(Object.values(processes).map((child) => child.stop(5000)));
    await watchdog.close();
    removeFolder(root);
  };

  const started = await Promise.allSettled(names.map(start));
  const failure = started.find((result) => result.status === 'rejected');
  if (failure !== undefined) {
    await stop();
    throw failure.reason;
  }
  return { urls, processes, stop };
}
