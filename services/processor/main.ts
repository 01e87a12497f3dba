import { sql } from 'kysely';
import { loadConfig } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { listenForMetrics } from '#shared/platform/http/metrics-port.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { listen } from '#shared/platform/http/serve.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { connectPersonalData, personalDataVariables } from '#shared/application/personal-data/connect.ts';
import {
  callbackVariables,
  createProviders,
  providerVariables,
} from '#shared/application/providers/index.ts';
import { createReceiptStore, receiptStoreVariables } from '#shared/application/receipts/store.ts';
import { runService, type Service } from '#shared/application/service.ts';
import { startTracing, tracingVariables } from '#shared/platform/tracing/start.ts';
import { createProcessorApp } from './app.ts';
import { createDueStore, prepareDueStore } from './due/postgres/due-store.ts';
import type { ProcessorDatabase } from './due/postgres/tables.ts';
import { startProcessor } from './processor.ts';

const start: Service['start'] = async (host) => {
  const config = loadConfig([
    'PROCESSOR_PORT',
    'PROCESSOR_METRICS_PORT',
    'LISTEN_HOST',
    'SHARE_PORTS',
    'LOG_LEVEL',
    'EVENT_STORE_URL',
    'DATABASE_URL',
    ...providerVariables,
    ...callbackVariables,
    ...receiptStoreVariables,
    ...personalDataVariables,
    ...tracingVariables,
  ]);
  const logger = createLogger('processor', config.LOG_LEVEL);
  const metrics = createMetrics('processor');
  startTracing('processor', config, { logger, metrics });
  const store = host.eventStore(config.EVENT_STORE_URL, { metrics, logger });
  const db = connectDatabase<ProcessorDatabase>(config.DATABASE_URL, {
    applicationName: 'processor',
    silenceMs: 35_000,
  });
  const { providers, close: closeProviders } = createProviders(config, logger, metrics);
  const receipts = createReceiptStore(config);
  const personal = connectPersonalData(config, { store, service: 'processor' });
  const notReady = () =>
    Promise.all([store.head(), sql`select 1 from processor.feed limit 1`.execute(db)]).then(
      () => undefined,
      () => 'the event store or the database does not answer',
    );
  // Callbacks are taken as soon as the log can be written: they do not need the database.
  const app = createProcessorApp({
    store,
    providers,
    personal,
    now: () => Date.now(),
    logger,
    metrics,
    notReady,
  });
  const server = await listen(app, {
    port: config.PROCESSOR_PORT,
    host: config.LISTEN_HOST,
    sharePort: config.SHARE_PORTS,
  });
  const metricsServer = await listenForMetrics(
    { service: 'processor', logger, metrics, notReady },
    { port: config.PROCESSOR_METRICS_PORT, host: config.LISTEN_HOST },
  );
  logger.info({ port: server.port, metricsPort: metricsServer?.port }, 'listening');
  const processor = startProcessor({
    due: createDueStore(db),
    prepare: prepareDueStore(db, logger),
    store,
    ledgers: host.ledgers({ store, metrics }),
    providers,
    personal,
    receipts,
    logger,
    metrics,
  });
  return {
    logger,
    stop: async () => {
      await Promise.all([server.close(), metricsServer?.close()]);
      await processor.stop();
      await closeProviders();
      await Promise.all([store.close(), db.destroy()]);
    },
  };
};

export const service: Service = { start };
if (import.meta.main) await runService(service);
