import type { TestProject } from 'vitest/node';
import { startEmbeddedStores, type EmbeddedStores } from './embedded-stores.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the event store under test. */
    eventStoreUrl: string;
  }
}

let embedded: EmbeddedStores | undefined;

/**
 * Provides `eventStoreUrl` to the test project: the store that EVENT_STORE_URL names, else one of
 * its own, on a free port and an empty folder.
 */
export async function setup(project: TestProject): Promise<void> {
  const given = process.env['EVENT_STORE_URL'];
  if (!given) embedded = await startEmbeddedStores(['event-store']);
  project.provide('eventStoreUrl', given || (embedded?.urls['event-store'] ?? ''));
}

/** Stops what `setup` has started, and removes its data. */
export async function teardown(): Promise<void> {
  await embedded?.stop();
}
