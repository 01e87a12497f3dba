import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findFreePort } from '#infra/process/free-port.ts';
import { startUntilReady } from '#infra/process/start-process.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { prepareEventStore } from '#infra/stores/launch-event-store.ts';
import { acquireLock } from '#infra/stores/lock.ts';
import { BackupRefusal } from '#infra/backup/refusal.ts';
import { makeFolder } from '#shared/platform/make-folder.ts';

/** What a DATA_DIR may hold before its log: settings, and stores that follow the log. */
const withoutLog: ReadonlySet<string> = new Set([
  'secrets.json',
  'ports.json',
  'stores.json',
  'stack.json',
  'demo.json',
  'backup.json',
  'postgres',
  'nats',
  'receipts',
  'lost+found',
]);
const unfinished = 'event-store.restoring';

/**
 * Runs an event store node on a new folder, which becomes the log of DATA_DIR when the work
 * succeeds. One that was interrupted leaves nothing that a gateway would start with.
 * @throws BackupRefusal if a gateway runs there, or it has a log or files of another kind
 */
export async function withNewLog<Result>(
  path: string,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const dataDir = resolve(path);
  if (existsSync(dataDir)) requireWithoutLog(dataDir);
  else makeFolder(dataDir);
  const lock = await acquireLock(dataDir);
  if (lock === undefined) throw new BackupRefusal(`${dataDir} is in use by a gateway.`);
  const folder = join(dataDir, unfinished);
  try {
    rmSync(folder, { recursive: true, force: true });
    const result = await withNode(folder, work);
    renameSync(folder, join(dataDir, 'event-store'));
    await using parent = await open(dataDir, 'r');
    await parent.sync();
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await lock.release();
  }
}

function requireWithoutLog(dataDir: string): void {
  const names = readdirSync(dataDir).filter((name) => name !== unfinished);
  const foreign = names.find((name) => !withoutLog.has(name));
  if (foreign !== undefined)
    throw new BackupRefusal(`${dataDir} is not empty: it holds ${foreign}. Name another folder.`);
}

/** Runs an event store node on a folder for as long as the work takes. */
export async function withNode<Result>(
  folder: string,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const prepared = prepareEventStore({ folder, port: await findFreePort() });
  const watchdog = startWatchdog();
  const node = await startUntilReady(prepared, { watchdog });
  try {
    return await work(prepared.url);
  } finally {
    await node.stop(15_000);
    await watchdog.close();
  }
}
