import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { hasCluster } from '../postgres/cluster.ts';
import { readPrivateJson, writePrivateJson } from './private-json.ts';

/** The address of a store, without user and password; null if it is embedded in DATA_DIR. */
const namedStore = z.string().nullable();
type NamedStore = z.infer<typeof namedStore>;

/** The stores of the last start on a DATA_DIR, in `DATA_DIR/stores.json`. */
const storesSchema = z.object({ event_store: namedStore, postgres: namedStore });

const storesPath = (dataDir: string) => join(dataDir, 'stores.json');

export function writeStoresFile(
  dataDir: string,
  {
    eventStoreUrl,
    databaseUrl,
  }: Partial<Record<'eventStoreUrl' | 'databaseUrl', string | undefined>>,
): void {
  const named = (url: string | undefined): NamedStore =>
    url === undefined ? null : hostsAndDatabase(url);
  const stores: z.infer<typeof storesSchema> = {
    event_store: named(eventStoreUrl),
    postgres: named(databaseUrl),
  };
  writePrivateJson(storesPath(dataDir), stores);
}

/** The location of a store's data without an address. */
export type StoppedStore =
  | { kind: 'embedded' }
  | { kind: 'named'; host: string }
  | { kind: 'none' };

/**
 * The location of the data of a DATA_DIR's last start: `embedded` only if there are any, so that
 * starting the store does not create a new one.
 */
export function stoppedStores(
  dataDir: string,
): Readonly<Record<'eventStore' | 'postgres', StoppedStore>> {
  const last = readPrivateJson(storesPath(dataDir), storesSchema);
  const of = (named: NamedStore | undefined, isThere: boolean): StoppedStore => {
    if (typeof named === 'string') return { kind: 'named', host: named };
    return { kind: isThere ? 'embedded' : 'none' };
  };
  return {
    eventStore: of(last?.event_store, existsSync(join(dataDir, 'event-store', 'events.db'))),
    postgres: of(last?.postgres, hasCluster(join(dataDir, 'postgres'))),
  };
}

/** The hosts and the database of an address. */
export function hostsAndDatabase(url: string): string {
  return url.replace(/^[^:]+:\/\/(.*@)?/, '').replace(/\/?([?].*)?$/, '');
}
