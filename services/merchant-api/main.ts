import { defineService } from '#shared/application/define-service.ts';
import {
  connectBackingServices,
  backingServiceVariables,
} from '#shared/application/backing-services.ts';
import { joinLimits } from '#shared/application/shared-limits.ts';
import { runService } from '#shared/application/service.ts';
import { watchAppends } from '#shared/platform/event-store/write-health.ts';
import { createMerchantApi } from './app.ts';
import {
  connectReadModels,
  createMerchantReadiness,
  drainMsFor,
  connectReceiptLinks,
} from './connect.ts';
import { registerDocumentation } from '#services/documentation/routes.ts';
import { readStackUrls, stackUrlsVariables } from '#services/documentation/stack-urls.ts';
import { createBreakers } from '#shared/application/providers/breakers.ts';
import { createDayUse } from './day-use/day-use.ts';
import { createApiKeyUse } from './key-use.ts';
import { createBatchWorker } from './payout-batches/worker.ts';

export const service = defineService({
  name: 'merchant-api',
  variables: [
    'GATEWAY_PORT',
    'GATEWAY_METRICS_PORT',
    'GATEWAY_TRUSTED_PROXIES',
    'SHARE_PORTS',
    'EVENT_STORE_URL',
    'PROVIDER_ACCEPTANCE_MS',
    'PAY_BASE_URL',
    'WEBHOOK_ALLOW_PRIVATE',
    'RECEIPT_URL_SECRET',
    'RECEIPT_URL_SECRET_PREVIOUS',
    ...backingServiceVariables,
    ...stackUrlsVariables,
  ],
  // Without NATS_URL each instance counts rate limits for itself. Without DATABASE_URL there is no
  // list of operations and no export, and routes with daily limits are skipped.
  optional: ['NATS_URL', 'DATABASE_URL'],
  start: async (context) => {
    const { config, logger, metrics, onStop } = context;
    const { store, failing } = watchAppends(context.eventStore(config.EVENT_STORE_URL));
    const directory = context.directory(store);
    const keyUse = createApiKeyUse({ store, logger });
    onStop(() => keyUse.stop());
    const breakers = createBreakers({ store, logger });
    onStop(() => breakers.stop());
    const limiter = joinLimits(context, 'gateway.rate-limits');
    const readModels = connectReadModels(context);
    const dayUse =
      readModels &&
      createDayUse({
        store,
        logger,
        metrics,
        read: readModels.readDayUse,
      });
    if (dayUse) onStop(() => dayUse.stop());
    const notReady = createMerchantReadiness(directory, failing);
    const app = createMerchantApi({
      ...connectBackingServices(context, { store, directory }),
      ...(readModels && {
        db: readModels.db,
        statementsDb: readModels.statementsDb,
        exports: readModels.exports,
      }),
      ...(dayUse && { dayUse }),
      ...(readModels && { gateOptions: { find: readModels.find } }),
      ...(limiter && { limiter }),
      batchWorker: (dependencies) => {
        const worker = createBatchWorker(dependencies);
        onStop(() => worker.stop());
        return worker;
      },
      documentation: (api) =>
        registerDocumentation(api, {
          stackUrls: readStackUrls(config),
          trustedProxies: config.GATEWAY_TRUSTED_PROXIES,
        }),
      store,
      directory,
      ledgers: context.ledgers(store),
      keyUse,
      breakers,
      logger,
      metrics,
      acceptanceMs: config.PROVIDER_ACCEPTANCE_MS,
      payBaseUrl: config.PAY_BASE_URL,
      allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
      trustedProxies: config.GATEWAY_TRUSTED_PROXIES,
      links: connectReceiptLinks(config),
      notReady,
    });
    await context.serve(app, {
      port: config.GATEWAY_PORT,
      host: config.LISTEN_HOST,
      sharePort: config.SHARE_PORTS,
      metricsPort: config.GATEWAY_METRICS_PORT,
      drainMs: drainMsFor(config.PROVIDER_ACCEPTANCE_MS),
      notReady,
    });
  },
});
if (import.meta.main) await runService(service);
