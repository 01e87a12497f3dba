import { sql } from 'kysely';
import { defineService } from '#shared/application/define-service.ts';
import {
  connectBackingServices,
  backingServiceVariables,
} from '#shared/application/backing-services.ts';
import { callbackKeyVariables } from '#shared/application/providers/accounts/credential-keys.ts';
import { callbackVariables } from '#shared/application/providers/index.ts';
import { runService } from '#shared/application/service.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { reasonUnlessAnswered } from '#shared/platform/http/readiness.ts';
import { createProcessorApp } from './app.ts';
import { createDueStore } from './due/postgres/due-store.ts';
import type { ProcessorDatabase } from './due/postgres/tables.ts';
import { startProcessor } from './processor.ts';

export const service = defineService({
  name: 'processor',
  variables: [
    'PROCESSOR_PORT',
    'PROCESSOR_METRICS_PORT',
    'LISTEN_HOST',
    'SHARE_PORTS',
    'EVENT_STORE_URL',
    'DATABASE_URL',
    'STATEMENTS_AFTER_S',
    ...backingServiceVariables,
    ...callbackVariables,
    ...callbackKeyVariables,
  ],
  start: async (context) => {
    const { config, logger, metrics, onStop } = context;
    const store = context.eventStore(config.EVENT_STORE_URL);
    const db = connectDatabase<ProcessorDatabase>(config.DATABASE_URL, {
      applicationName: 'processor',
      silenceMs: 35_000,
    });
    onStop(() => db.destroy());
    const backing = connectBackingServices(context, { store, directory: context.directory(store) });
    let processor: ReturnType<typeof startProcessor> | undefined;
    const unanswered = reasonUnlessAnswered('the event store or the database', () =>
      Promise.all([store.head(), sql`select 1 from processor.feed limit 1`.execute(db)]),
    );
    const notReady = async () => (await unanswered()) ?? processor?.notReady();
    // Callbacks are accepted as soon as the log can be written: they do not need the database.
    const app = createProcessorApp({
      ...backing,
      store,
      now: () => Date.now(),
      logger,
      metrics,
      notReady,
    });
    await context.serve(app, {
      port: config.PROCESSOR_PORT,
      host: config.LISTEN_HOST,
      sharePort: config.SHARE_PORTS,
      metricsPort: config.PROCESSOR_METRICS_PORT,
      notReady,
    });
    const running = startProcessor({
      ...backing,
      due: createDueStore(db),
      store,
      ledgers: context.ledgers(store),
      logger,
      metrics,
      statementsAfterMs: config.STATEMENTS_AFTER_S * 1_000,
    });
    processor = running;
    onStop(() => running.stop());
  },
});
if (import.meta.main) await runService(service);
