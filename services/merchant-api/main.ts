import { gatewayUrl } from '#shared/platform/config/gateway-url.ts';
import { loadConfig, loadOptional } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { watchAppends } from '#shared/platform/event-store/write-health.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { listenForMetrics } from '#shared/platform/http/metrics-port.ts';
import { listen } from '#shared/platform/http/serve.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { createSharedLimiter } from '#shared/platform/nats/shared-limiter.ts';
import { connectPersonalData, personalDataVariables } from '#shared/application/personal-data/connect.ts';
import { createProviders, providerVariables } from '#shared/application/providers/index.ts';
import { createReceiptLinks } from '#shared/application/receipts/links.ts';
import { createReceiptStore, receiptStoreVariables } from '#shared/application/receipts/store.ts';
import { runService, type Service } from '#shared/application/service.ts';
import { startTracing, tracingVariables } from '#shared/platform/tracing/start.ts';
import { createMerchantApi } from './app.ts';
import { aroundOf, aroundVariables } from './documentation/reference/around.ts';
import { createKeyUse } from './key-use.ts';

/**
 * Memory for even answers: while the whole heap is collected, for a tenth of a second, requests take up to 50 ms longer.
 * Where it may only double, from some 40 MB, that is three times as often.
 */
const settling = { headroomMb: 128 };

/** A merchant waits for it, and asks again. */
const impatient = { statementTimeoutMs: 4_000, silenceMs: 5_000 };

const start: Service['start'] = async (host) => {
  const config = loadConfig([
    'GATEWAY_PORT',
    'GATEWAY_METRICS_PORT',
    'GATEWAY_TRUSTED_PROXIES',
    'LISTEN_HOST',
    'SHARE_PORTS',
    'LOG_LEVEL',
    'EVENT_STORE_URL',
    'PROVIDER_ACCEPTANCE_MS',
    'PAY_BASE_URL',
    'RECEIPT_URL_SECRET',
    'RECEIPT_URL_SECRET_PREVIOUS',
    ...receiptStoreVariables,
    ...personalDataVariables,
    ...tracingVariables,
    ...providerVariables,
    ...aroundVariables,
  ]);
  // Without it nothing is missing but one count of requests for all instances.
  const natsUrl = loadOptional('NATS_URL');
  // Without it nothing is missing but the list of operations.
  const databaseUrl = loadOptional('DATABASE_URL');
  const logger = createLogger('merchant-api', config.LOG_LEVEL);
  const metrics = createMetrics('merchant-api');
  startTracing('merchant-api', config, { logger, metrics });
  const { store, failing } = watchAppends(host.eventStore(config.EVENT_STORE_URL, { metrics, logger }));
  const directory = host.directory(store);
  const ledgers = host.ledgers({ store, metrics });
  const keyUse = createKeyUse({ store, logger });
  const { providers, close: closeProviders } = createProviders(config, logger, metrics);
  const notReady = () =>
    directory.ready().then(
      () => (failing() ? 'the event store takes no appends' : undefined),
      () => 'the event store does not answer',
    );
  const subject = 'gateway.rate-limits';
  const limiter = natsUrl === undefined ? undefined : createSharedLimiter({ natsUrl, logger, subject });
  const db =
    databaseUrl === undefined
      ? undefined
      : connectDatabase<unknown>(databaseUrl, { applicationName: 'merchant-api', ...impatient });
  const app = createMerchantApi({
    ...(db && { db }),
    around: aroundOf(config),
    ...(limiter && { limiter }),
    store,
    directory,
    providers,
    ledgers,
    keyUse,
    logger,
    metrics,
    acceptanceMs: config.PROVIDER_ACCEPTANCE_MS,
    payBaseUrl: config.PAY_BASE_URL,
    receipts: createReceiptStore(config),
    personal: connectPersonalData(config, { store, service: 'merchant-api' }),
    trustedProxies: config.GATEWAY_TRUSTED_PROXIES,
    links: createReceiptLinks({
      baseUrl: gatewayUrl(),
      secret: config.RECEIPT_URL_SECRET,
      previousSecret: config.RECEIPT_URL_SECRET_PREVIOUS,
    }),
    notReady,
  });
  const server = await listen(app, {
    port: config.GATEWAY_PORT,
    host: config.LISTEN_HOST,
    sharePort: config.SHARE_PORTS,
  });
  const metricsServer = await listenForMetrics(
    { service: 'merchant-api', logger, metrics, notReady },
    { port: config.GATEWAY_METRICS_PORT, host: config.LISTEN_HOST },
  );
  logger.info({ port: server.port, metricsPort: metricsServer?.port }, 'listening');
  return {
    logger,
    stop: async () => {
      await Promise.all([server.close(), metricsServer?.close()]);
      await Promise.all([directory.stop(), ledgers.stop(), keyUse.stop(), limiter?.stop()]);
      await Promise.all([closeProviders(), db?.destroy()]);
      await store.close();
    },
  };
};

export const service: Service = { start, settling };
if (import.meta.main) await runService(service);
