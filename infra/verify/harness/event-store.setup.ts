import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startNodeProcess, type NodeProcess } from '#infra/verify/harness/event-store-process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the event store under test. */
    eventStoreUrl: string;
  }
}

let node: NodeProcess | undefined;
let directory: string | undefined;

/**
 * Provides `eventStoreUrl` to the test project: the store that EVENT_STORE_URL names, else an event
 * store node of its own, on a free port and an empty directory.
 */
export const setup = async (project: TestProject): Promise<void> => {
  const given = process.env['EVENT_STORE_URL'];
  if (given) {
    project.provide('eventStoreUrl', given);
    return;
  }
  directory = await mkdtemp(join(tmpdir(), 'event-store-'));
  node = await startNodeProcess({ directory });
  project.provide('eventStoreUrl', node.url);
};

/** Stops the node that `setup` started and removes its data. */
export const teardown = async (): Promise<void> => {
  await node?.stop('SIGKILL');
  if (directory) await rm(directory, { recursive: true, force: true });
};
