import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  startNodeProcess,
  type NodeProcess,
} from '#infra/verify/harness/stores/event-store-process.ts';

/**
 * A node of one test, which can stop, kill and restart it, always on the same port and
 * directory.
 */
export type OwnStore = {
  url: string;
  port: number;
  /** The pid of the current process. */
  pid: () => number;
  directory: string;
  stop: NodeProcess['stop'];
  start: () => Promise<void>;
};

/** Starts a node on an empty directory; both are removed when the test ends. */
export const startOwnStore = async (
  options: { maxEventsBehind?: number } = {},
): Promise<OwnStore> => {
  const directory = await mkdtemp(join(tmpdir(), 'event-store-own-'));
  let node: NodeProcess | undefined = await startNodeProcess({ directory, ...options });
  const { url, port } = node;
  onTestFinished(async () => {
    await node?.stop('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });
  return {
    url,
    port,
    directory,
    pid: () => node?.pid ?? 0,
    stop: async (signal) => {
      const code = (await node?.stop(signal)) ?? null;
      node = undefined;
      return code;
    },
    start: async () => {
      node = await startNodeProcess({ directory, port, ...options });
    },
  };
};
