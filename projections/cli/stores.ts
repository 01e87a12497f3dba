import { loadConfig } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { borrowStores } from '#infra/stores/borrow-stores.ts';

/**
 * Connects to the stores that the environment names, else to those of the stack on DATA_DIR, which
 * are started for this if it does not run.
 * @throws a one-line error with the remedy if there are none
 */
export async function connectProjectionStores() {
  const { DATA_DIR } = loadConfig(['DATA_DIR']);
  const { eventStoreUrl, databaseUrl, release } = await borrowStores(DATA_DIR);
  try {
    if (databaseUrl === undefined)
      throw new Error(`${DATA_DIR} names no database: set DATABASE_URL.`);
    const env = { EVENT_STORE_URL: eventStoreUrl, DATABASE_URL: databaseUrl };
    const config = loadConfig(['EVENT_STORE_URL', 'DATABASE_URL'], env);
    const store = connectEventStore(config.EVENT_STORE_URL);
    const db = connectDatabase<unknown>(config.DATABASE_URL, {
      applicationName: 'gateway-projections-cli',
    });
    const close = async () => {
      await db.destroy();
      await store.close();
      await release();
    };
    return { store, db, close };
  } catch (error) {
    await release();
    throw error;
  }
}
