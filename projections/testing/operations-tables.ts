import { afterAll } from 'vitest';
import { waitUntil } from '#infra/process/wait-until.ts';
import { createDatabase } from '#infra/verify/harness/database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { startProjections } from '../start.ts';
import { suspenseReadModel } from '../suspense/read-model.ts';
import { hasReached, hasTable, logger } from './stores.ts';

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
    const models = [operationsReadModel, suspenseReadModel];
    const projections = startProjections({ db, store: own.store, logger, models });
    const within = { timeoutMs: 30_000 };
    await waitUntil('caught up', () => hasReached(db, end), within);
    await waitUntil('the suspense table exists', () => hasTable(db, 'suspense'), within);
    await projections.stop();
  };
  return { db, followTo };
}
