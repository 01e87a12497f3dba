import { join } from 'node:path';
import { startEventStoreNode } from '#infra/event-store-node/start.ts';
import { startStoreProcess } from './event-store-process.ts';
import { usesExternalServer } from './external-store.ts';
import { serveOrders } from '../processes/helper-process.ts';
import { makeTempFolder, removeFolder } from '../processes/temp-folder.ts';

/** The orders of the process that hosts logs (own-log.ts). */
export type LogOrder = { readonly order: 'open' } | { readonly order: 'close'; url: string };
type Log = { readonly url: string; readonly stop: () => Promise<unknown> };

const root = makeTempFolder();
const logs = new Map<string, { log: Log; folder: string }>();
let opened = 0;

async function open(): Promise<{ url: string }> {
  opened += 1;
  const folder = join(root, String(opened));
  const log = await start(folder);
  logs.set(log.url, { log, folder });
  return { url: log.url };
}

/** A node in this process starts at once; a given server takes a process and seconds. */
async function start(directory: string): Promise<Log> {
  if (!usesExternalServer()) return startEventStoreNode({ directory });
  const { url, stop } = await startStoreProcess({ directory });
  return { url, stop: () => stop('SIGKILL') };
}

async function close(url: string): Promise<object> {
  const hosted = logs.get(url);
  logs.delete(url);
  await hosted?.log.stop();
  if (hosted) removeFolder(hosted.folder);
  return {};
}

process.once('exit', () => removeFolder(root));
serveOrders((order: LogOrder) => (order.order === 'open' ? open() : close(order.url)));
