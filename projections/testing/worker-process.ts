import { loadConfig } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { startProjections } from '../start.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';

// A worker process that kills itself within a small batch, after its rows are written and before
// they are committed.
const config = loadConfig(['EVENT_STORE_URL', 'DATABASE_URL']);
const batchesBeforeDeath = 8;
let batches = 0;
const dying: typeof operationsReadModel = {
  ...operationsReadModel,
  apply: async (batch) => {
    await operationsReadModel.apply(batch);
    batches += 1;
    if (batches > batchesBeforeDeath) process.kill(process.pid, 'SIGKILL');
  },
};
startProjections({
  db: connectDatabase<unknown>(config.DATABASE_URL, {
    applicationName: 'test-worker',
    maxConnections: 12,
  }),
  store: connectEventStore(config.EVENT_STORE_URL),
  logger: createLogger('test-worker', 'fatal'),
  models: [dying],
  maxBatch: 10,
});
