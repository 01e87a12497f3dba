import { defineService } from '#shared/application/define-service.ts';
import { operationStates } from '#shared/application/operations/streams.ts';
import {
  connectBackingServices,
  backingServiceVariables,
} from '#shared/application/backing-services.ts';
import { joinLimits } from '#shared/application/shared-limits.ts';
import { runService } from '#shared/application/service.ts';
import { createCurrentStates } from '#shared/platform/event-store/current-states.ts';
import { reasonUnlessAnswered } from '#shared/platform/http/readiness.ts';
import { countAlone, createAddressLimits } from './address-limits.ts';
import { createPaymentPage } from './app.ts';
import { watchPayments } from './live/watch-payments.ts';
import { watchMetrics } from './metrics.ts';
import { brokenRequestPage } from './view/error-page.ts';

export const service = defineService({
  name: 'payment-page',
  variables: [
    'PAY_PORT',
    'PAY_METRICS_PORT',
    'PAY_BASE_URL',
    'PAY_TRUSTED_PROXIES',
    'LISTEN_HOST',
    'SHARE_PORTS',
    'EVENT_STORE_URL',
    ...backingServiceVariables,
  ],
  // Without NATS each instance counts an address's requests for itself.
  optional: ['NATS_URL'],
  start: async (context) => {
    const { config, logger, metrics, signal } = context;
    const store = context.eventStore(config.EVENT_STORE_URL);
    const directory = context.directory(store);
    const operations = createCurrentStates(store).reader(operationStates(store));
    const watch = watchPayments({ operations, logger });
    watchMetrics(metrics, watch);
    // Open pages keep their connections until the watch ends.
    signal.addEventListener('abort', () => watch.stop());
    const limiter = joinLimits(context, 'gateway.rate-limits.pages') ?? countAlone();
    const notReady = reasonUnlessAnswered('the event store', () => directory.ready());
    const app = createPaymentPage({
      ...connectBackingServices(context, { store, directory }),
      store,
      directory,
      operations,
      watch,
      limits: createAddressLimits(limiter),
      logger,
      metrics,
      baseUrl: config.PAY_BASE_URL,
      trustedProxies: config.PAY_TRUSTED_PROXIES,
      now: Date.now,
      notReady,
    });
    await context.serve(app, {
      port: config.PAY_PORT,
      host: config.LISTEN_HOST,
      sharePort: config.SHARE_PORTS,
      render: brokenRequestPage,
      metricsPort: config.PAY_METRICS_PORT,
      notReady,
    });
  },
});
if (import.meta.main) await runService(service);
