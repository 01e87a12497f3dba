import { sql } from 'kysely';
import { migrateWebhooks } from '#services/webhooks/queries.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { prepareDatabase } from '#shared/platform/database/prepare.ts';
import { listenForMetrics } from '#shared/platform/http/metrics-port.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { listen } from '#shared/platform/http/serve.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { connectPersonalData, personalDataVariables } from '#shared/application/personal-data/connect.ts';
import { createProviders, providerVariables } from '#shared/application/providers/index.ts';
import { providerNames } from '#shared/application/providers/names.ts';
import { createReceiptStore, receiptStoreVariables } from '#shared/application/receipts/store.ts';
import { runService, type Service } from '#shared/application/service.ts';
import { startTracing, tracingVariables } from '#shared/platform/tracing/start.ts';
import { createRefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import { createAccessLog } from './access-log.ts';
import { finishPending } from './api/adjustments/finish-pending.ts';
import { createAdminApi } from './app.ts';
import { firstTokens } from './authentication.ts';
import { migrateConsole } from './console/session/tables.ts';
import { createMarks, migrateMarks } from './marks.ts';
import type { AdminDatabase } from './database.ts';
import { finishErasures } from './api/erasure/finish-erasures.ts';
import { announceMissing } from './api/setup/announce-missing.ts';
import { createTokenRegistry } from './api/tokens/registry.ts';

const start: Service['start'] = async (host) => {
  const config = loadConfig([
    'NODE_ENV',
    'ADMIN_PORT',
    'ADMIN_METRICS_PORT',
    'ADMIN_TRUSTED_PROXIES',
    'ADMIN_TOKEN',
    'ADMIN_TOKEN_PREVIOUS',
    'LISTEN_HOST',
    'SHARE_PORTS',
    'LOG_LEVEL',
    'EVENT_STORE_URL',
    'DATABASE_URL',
    'WEBHOOK_ALLOW_PRIVATE',
    ...providerVariables,
    ...receiptStoreVariables,
    ...personalDataVariables,
    ...tracingVariables,
  ]);
  const logger = createLogger('admin', config.LOG_LEVEL);
  const metrics = createMetrics('admin');
  startTracing('admin', config, { logger, metrics });
  const store = host.eventStore(config.EVENT_STORE_URL, { metrics, logger });
  const directory = host.directory(store);
  const ledgers = host.ledgers({ store, metrics });
  const db = connectDatabase<AdminDatabase>(config.DATABASE_URL, {
    applicationName: 'admin',
    // People and programs wait for it.
    statementTimeoutMs: 8_000,
    silenceMs: 10_000,
  });
  const receipts = createReceiptStore(config);
  const { providers, close: closeProviders } = createProviders(config, logger, metrics);
  const trustedProxies = config.ADMIN_TRUSTED_PROXIES;
  const stopped = new AbortController();
  let prepared = false;
  const notReady = () =>
    prepared
      ? Promise.all([directory.ready(), sql`select 1`.execute(db)]).then(
          () => undefined,
          () => 'the event store or the database does not answer',
        )
      : 'the database is not prepared yet';
  const app = createAdminApi({
    store,
    directory,
    ledgers,
    db,
    receipts,
    personal: connectPersonalData(config, { store, service: 'admin' }),
    logger,
    metrics,
    registry: createTokenRegistry(store),
    fixedTokens: firstTokens([config.ADMIN_TOKEN, config.ADMIN_TOKEN_PREVIOUS]),
    providers: providerNames,
    refused: createRefusedCredentials({ what: 'an admin token', logger, trustedProxies }),
    accessLog: createAccessLog(),
    production: config.NODE_ENV === 'production',
    trustedProxies,
    connectors: providers,
    allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    notReady,
  });
  const server = await listen(app, {
    port: config.ADMIN_PORT,
    host: config.LISTEN_HOST,
    sharePort: config.SHARE_PORTS,
  });
  const metricsServer = await listenForMetrics(
    { service: 'admin', logger, metrics, notReady },
    { port: config.ADMIN_METRICS_PORT, host: config.LISTEN_HOST },
  );
  logger.info({ port: server.port, metricsPort: metricsServer?.port }, 'listening');
  const { signal } = stopped;
  const prepare = async () => {
    prepared = await prepareDatabase(
      () =>
        migrateWebhooks(db)
          .then(() => migrateConsole(db))
          .then(() => migrateMarks(db)),
      {
        logger,
        signal,
      },
    );
  };
  const preparing = prepare();
  const marks = createMarks(db, preparing);
  const announcing = announceMissing({ store, logger, signal, marks });
  const finishing = finishPending({ store, ledgers, logger, signal, marks });
  const erasing = finishErasures({ store, db, receipts, logger, signal, marks });
  return {
    logger,
    stop: async () => {
      stopped.abort();
      await Promise.all([server.close(), metricsServer?.close()]);
      await Promise.all([directory.stop(), ledgers.stop(), preparing, announcing, finishing, erasing]);
      await Promise.all([store.close(), db.destroy(), closeProviders()]);
    },
  };
};

export const service: Service = { start };
if (import.meta.main) await runService(service);
