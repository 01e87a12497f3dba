import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '#infra/process/free-port.ts';
import { startUntilReady, type RunningProcess } from '#infra/process/start-process.ts';
import { startWatchdog, type Watchdog } from '#infra/process/watchdog.ts';
import {
  prepareStore,
  type PreparedStore,
  type StoreName,
} from '#infra/verify/harness/stores/embedded-stores.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';

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
  const start = async (name: StoreName) =>
    restartable(
      watchdog,
      await prepareStore[name]({ folder: join(root, name), port: await findFreePort() }),
    );
  const [eventStore, postgres, nats] = await Promise.all([
    start('event-store'),
    start('postgres'),
    start('nats'),
  ]);
  const jetstream = join(root, 'nats', 'jetstream');
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

async function restartable(watchdog: Watchdog, store: PreparedStore): Promise<Restartable> {
  let running: RunningProcess | undefined;
  const start = async () => {
    running = await startUntilReady(store, { watchdog });
  };
  await start();
  return {
    url: store.url,
    start,
    end: async (signal) => {
      if (signal) running?.kill(signal);
      await running?.stop(10_000);
    },
  };
}
