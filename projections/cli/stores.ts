import { loadConfig } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { connectEventStore } from '#shared/platform/event-store/index.ts';
import { findRunningStack } from '#infra/stores/stack-file.ts';

/**
 * Connects to the stores that the environment names, else to those of the stack that runs on
 * DATA_DIR.
 * @throws a one-line error that says what to do if there are none
 */
export async function connectStores() {
  const { DATA_DIR } = loadConfig(['DATA_DIR']);
  const running = findRunningStack(DATA_DIR)?.env ?? {};
  const env = {
    EVENT_STORE_URL: process.env['EVENT_STORE_URL'] || running['EVENT_STORE_URL'],
    DATABASE_URL: process.env['DATABASE_URL'] || running['DATABASE_URL'],
  };
  if (!env.EVENT_STORE_URL || !env.DATABASE_URL) {
    throw new Error(
      `No stack runs on ${DATA_DIR}: start one with npm start (the same DATA_DIR), or set EVENT_STORE_URL and DATABASE_URL.`,
    );
  }
  const config = loadConfig(['EVENT_STORE_URL', 'DATABASE_URL'], env);
  const store = connectEventStore(config.EVENT_STORE_URL);
  const db = connectDatabase<unknown>(config.DATABASE_URL, {
    applicationName: 'gateway-projections-cli',
  });
  const close = async () => {
    await db.destroy();
    await store.close();
  };
  return { store, db, close };
}
