import { loadConfig } from '#shared/platform/config/load.ts';
import { loadSigningKey } from '#shared/platform/config/signing-key.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { runService, type Service } from '#shared/application/service.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { startWebhookService } from '#services/webhooks/service.ts';

// The reconciliation in a process of its own, as `main.ts --only reconcile` is, but seconds behind
// the log and not a minute.
const reconcile = { everyMs: 200, minAgeMs: 2_000, patienceMs: 2_000 };

const start: Service['start'] = async (host) => {
  const config = loadConfig(['EVENT_STORE_URL', 'DATABASE_URL', 'NATS_URL', 'LOG_LEVEL']);
  const logger = createLogger('webhooks', config.LOG_LEVEL);
  const metrics = createMetrics('webhooks');
  const signer = loadSigningKey('webhooks');
  const store = host.eventStore(config.EVENT_STORE_URL, { metrics, logger, signer });
  const service = startWebhookService({
    store,
    personal: testPersonalData(store),
    databaseUrl: config.DATABASE_URL,
    natsUrl: config.NATS_URL,
    scheduleMs: [0],
    allowPrivate: true,
    logger,
    metrics,
    only: ['reconcile'],
    reconcile,
  });
  return { logger, stop: () => service.stop() };
};

await runService({ start });
