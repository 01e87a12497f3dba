import { afterAll } from 'vitest';
import { createDatabase } from '#infra/verify/harness/stores/database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { followOperations } from './stores.ts';

/** Tables of operations in a database of the test file; `own` is filled before the tests run. */
export async function createOperationsTables(own: { store: EventStore }) {
  const database = await createDatabase();
  const db = connectDatabase<unknown>(database.url, {
    applicationName: 'test',
    maxConnections: 12,
  });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });
  /** Follows the log until the tables have everything up to this position, then stops. */
  const followTo = async (end: bigint) => {
    const projections = await followOperations({ db, store: own.store }, end);
    await projections.stop();
  };
  return { db, followTo };
}
