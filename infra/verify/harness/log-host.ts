import { join } from 'node:path';
import { startEventStoreNode, type EventStoreNode } from '#infra/event-store-node/start.ts';
import { serveOrders } from './helper-process.ts';
import { makeTempFolder, removeFolder } from './temp-folder.ts';

/** What the process that hosts logs is asked for (own-log.ts). */
export type LogOrder = { readonly order: 'open' } | { readonly order: 'close'; url: string };

const root = makeTempFolder();
const nodes = new Map<string, { node: EventStoreNode; folder: string }>();
let opened = 0;

async function open(): Promise<{ url: string }> {
  opened += 1;
  const folder = join(root, String(opened));
  const node = await startEventStoreNode({ directory: folder });
  nodes.set(node.url, { node, folder });
  return { url: node.url };
}

async function close(url: string): Promise<object> {
  const hosted = nodes.get(url);
  nodes.delete(url);
  await hosted?.node.stop();
  if (hosted) removeFolder(hosted.folder);
  return {};
}

process.once('exit', () => removeFolder(root));
serveOrders((order: LogOrder) => (order.order === 'open' ? open() : close(order.url)));
