import type { TestProject } from 'vitest/node';
import { startEmbeddedStores, type EmbeddedStores, type StoreName } from './embedded-stores.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the event store, in the conformance suite of the one under test. */
    eventStoreUrl: string;
    /** PostgreSQL, with the right to create databases; see `createDatabase`. */
    databaseUrl: string;
    /** A nats-server with JetStream, shared by all test files: name streams and subjects apart. */
    natsUrl: string;
  }
}

const stores = {
  'event-store': { variable: 'EVENT_STORE_URL', key: 'eventStoreUrl' },
  postgres: { variable: 'DATABASE_URL', key: 'databaseUrl' },
  nats: { variable: 'NATS_URL', key: 'natsUrl' },
} as const;

/** Others have tests that share PostgreSQL and NATS too. */
const needsOnlyEventStore = ['conformance', 'real-store'];

let embedded: EmbeddedStores | undefined;

/**
 * Provides `eventStoreUrl`, `databaseUrl` and `natsUrl`, each from its variable, else of a store
 * that is started on a free port and an empty folder. The conformance suite gets only the first.
 */
export async function setup(project: TestProject): Promise<void> {
  const all = Object.keys(stores) as StoreName[];
  const names: StoreName[] = needsOnlyEventStore.includes(project.name) ? ['event-store'] : all;
  const given = (name: StoreName) => process.env[stores[name].variable] || undefined;
  embedded = await startEmbeddedStores(
    names.filter((name) => given(name) === undefined),
    { ...process.env, ...project.config.env },
  );
  for (const name of names)
    project.provide(stores[name].key, given(name) ?? embedded.urls[name] ?? '');
}

/** Stops what `setup` has started, and removes its data. */
export async function teardown(): Promise<void> {
  await embedded?.stop();
}
