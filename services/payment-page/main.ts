import { loadConfig, loadOptional } from '#shared/platform/config/load.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { createCurrentStates } from '#shared/platform/event-store/current-states.ts';
import { listenForMetrics } from '#shared/platform/http/metrics-port.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { listen } from '#shared/platform/http/serve.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { createSharedLimiter } from '#shared/platform/nats/shared-limiter.ts';
import { operationStates } from '#shared/application/operations/streams.ts';
import { connectPersonalData, personalDataVariables } from '#shared/application/personal-data/connect.ts';
import { createProviders, providerVariables } from '#shared/application/providers/index.ts';
import { createReceiptStore, receiptStoreVariables } from '#shared/application/receipts/store.ts';
import { runService, type Service } from '#shared/application/service.ts';
import { startTracing, tracingVariables } from '#shared/platform/tracing/start.ts';
import { countAlone, createAddressLimits } from './address-limits.ts';
import { createPaymentPage } from './app.ts';
import { createWatch } from './live/watch.ts';
import { watchMetrics } from './metrics.ts';
import { shownOf, versionOf } from './shown.ts';
import { brokenRequestPage } from './view/error-page.ts';

const start: Service['start'] = async (host) => {
  const config = loadConfig([
    'PAY_PORT',
    'PAY_METRICS_PORT',
    'PAY_BASE_URL',
    'PAY_TRUSTED_PROXIES',
    'LISTEN_HOST',
    'SHARE_PORTS',
    'LOG_LEVEL',
    'EVENT_STORE_URL',
    ...receiptStoreVariables,
    ...personalDataVariables,
    ...tracingVariables,
    ...providerVariables,
  ]);
  // Without it nothing is missing but one count of an address's requests for all instances.
  const natsUrl = loadOptional('NATS_URL');
  const logger = createLogger('payment-page', config.LOG_LEVEL);
  const metrics = createMetrics('payment-page');
  startTracing('payment-page', config, { logger, metrics });
  const store = host.eventStore(config.EVENT_STORE_URL, { metrics, logger });
  const directory = host.directory(store);
  const operations = createCurrentStates(store).reader(operationStates(store));
  const { providers, close: closeProviders } = createProviders(config, logger, metrics);
  const watch = createWatch({
    logger,
    version: async (operationId) => {
      const state = await operations.read(operationStream(operationId));
      const shown = state.phase === 'admitted' ? shownOf(state, Date.now()) : undefined;
      return shown && versionOf(shown);
    },
  });
  watchMetrics(metrics, watch);
  const notReady = () =>
    directory.ready().then(
      () => undefined,
      () => 'the event store does not answer',
    );
  const subject = 'gateway.rate-limits.pages';
  const limiter = natsUrl === undefined ? undefined : createSharedLimiter({ natsUrl, logger, subject });
  const app = createPaymentPage({
    store,
    directory,
    operations,
    providers,
    receipts: createReceiptStore(config),
    personal: connectPersonalData(config, { store, service: 'payment-page' }),
    watch,
    limits: createAddressLimits(limiter ?? countAlone()),
    logger,
    metrics,
    baseUrl: config.PAY_BASE_URL,
    trustedProxies: config.PAY_TRUSTED_PROXIES,
    now: Date.now,
    notReady,
  });
  const server = await listen(app, {
    port: config.PAY_PORT,
    host: config.LISTEN_HOST,
    sharePort: config.SHARE_PORTS,
    render: brokenRequestPage,
  });
  const metricsServer = await listenForMetrics(
    { service: 'payment-page', logger, metrics, notReady },
    { port: config.PAY_METRICS_PORT, host: config.LISTEN_HOST },
  );
  logger.info({ port: server.port, metricsPort: metricsServer?.port }, 'listening');
  return {
    logger,
    stop: async () => {
      watch.stop();
      await Promise.all([server.close(), metricsServer?.close()]);
      await Promise.all([directory.stop(), limiter?.stop()]);
      await closeProviders();
      await store.close();
    },
  };
};

export const service: Service = { start };
if (import.meta.main) await runService(service);
