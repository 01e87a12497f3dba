import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { startNodeProcess } from '#infra/verify/harness/event-store-process.ts';
import { isExternal, storeUrl } from './store.ts';

/**
 * Gives this file a store to which nobody else writes: a node of its own, or the one that
 * EVENT_STORE_URL names (run the files one after the other then). Call it once, at the top of the
 * file.
 */
export const quietStoreUrl = (): (() => string) => {
  let url = '';
  beforeAll(async () => {
    if (isExternal) {
      url = storeUrl();
      return undefined;
    }
    const directory = await mkdtemp(join(tmpdir(), 'event-store-quiet-'));
    const node = await startNodeProcess({ directory });
    ({ url } = node);
    return async () => {
      await node.stop('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    };
  });
  return () => url;
};
