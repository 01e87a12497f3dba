import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { prepareTestEventStore } from '#infra/verify/harness/external-store.ts';
import { prepareNats } from '#infra/nats/launch.ts';
import { preparePostgres } from '#infra/postgres/launch.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { startProcess, type Launch, type RunningProcess } from '#infra/process/start-process.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import { startWatchdog, type Watchdog } from '#infra/process/watchdog.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';

type Restartable = {
  url: string;
  start(): Promise<void>;
  /** Stops it cleanly, or at once with SIGKILL; for PostgreSQL SIGQUIT means the same. */
  end(signal?: 'SIGKILL' | 'SIGQUIT'): Promise<void>;
};

export type RestartableStores = {
  eventStore: Restartable;
  postgres: Restartable;
  nats: Restartable & {
    /** Must be called only while it is stopped. */
    wipe(): void;
    save(): void;
    restore(): void;
  };
  watchdog: Watchdog;
  stop(): Promise<void>;
};

/** Stores that a test may stop, wipe and restart, on the same ports and folders. */
export async function startRestartableStores(): Promise<RestartableStores> {
  const root = makeTempFolder();
  const watchdog = startWatchdog();
  const folder = (name: string) => join(root, name);
  const [eventStore, postgres, nats] = await Promise.all([
    restartable(
      watchdog,
      prepareTestEventStore({ folder: folder('event-store'), port: await findFreePort() }),
    ),
    preparePostgres({ folder: folder('postgres'), port: await findFreePort() }).then(
      ({ superuserUrl, ...store }) => restartable(watchdog, { ...store, url: superuserUrl }),
    ),
    restartable(watchdog, prepareNats({ folder: folder('nats'), port: await findFreePort() })),
  ]);
  const jetstream = join(folder('nats'), 'jetstream');
  const copy = join(root, 'jetstream-copy');
  return {
    eventStore,
    postgres,
    nats: {
      ...nats,
      wipe: () => rmSync(jetstream, { recursive: true, force: true }),
      save: () => {
        rmSync(copy, { recursive: true, force: true });
        cpSync(jetstream, copy, { recursive: true });
      },
      restore: () => {
        rmSync(jetstream, { recursive: true, force: true });
        cpSync(copy, jetstream, { recursive: true });
      },
    },
    watchdog,
    stop: async () => {
      await Promise.all([eventStore, postgres, nats].map((store) => store.end()));
      await watchdog.close();
      removeFolder(root);
    },
  };
}

type Prepared = { launch: Launch; url: string; isReady: () => Promise<boolean> };

async function restartable(
  watchdog: Watchdog,
  { launch, url, isReady }: Prepared,
): Promise<Restartable> {
  let running: RunningProcess | undefined;
  const start = async () => {
    running = startProcess(launch, { watchdog });
    await waitUntil(`${launch.name} is ready`, isReady, { timeoutMs: 30_000 });
  };
  await start();
  return {
    url,
    start,
    end: async (signal) => {
      if (signal) running?.kill(signal);
      await running?.stop(10_000);
    },
  };
}
