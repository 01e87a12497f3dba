import { loadConfig } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { connectEventStore } from '#shared/platform/event-store/index.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { startProjections } from '../start.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';

// A worker as a process of its own, to be killed: with batches so small that it is always in the
// middle of something.
const config = loadConfig(['EVENT_STORE_URL', 'DATABASE_URL']);
startProjections({
  db: connectDatabase<unknown>(config.DATABASE_URL, {
    applicationName: 'test-worker',
    maxConnections: 12,
  }),
  store: connectEventStore(config.EVENT_STORE_URL),
  logger: createLogger('test-worker', 'fatal'),
  models: [operationsReadModel],
  maxBatch: 10,
});
