import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '#shared/platform/config/load.ts';
import { createApp } from '#shared/platform/http/app.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { listen } from '#shared/platform/http/serve.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { leastNatsVersion } from '#shared/platform/nats/least-version.ts';
import { runService, type Service } from '#shared/application/service.ts';
import { startTracing, tracingVariables } from '#shared/platform/tracing/start.ts';
import { busNames } from './bus.ts';
import { parts, startWebhookService, type Part } from './service.ts';

/** `--only relay|ingest|dispatch|reconcile`, also several times: the parts that this process runs. */
function chosenParts(): readonly Part[] {
  if (!import.meta.main) return parts;
  const { only } = parseArgs({ options: { only: { type: 'string', multiple: true } } }).values;
  if (only === undefined) return parts;
  const chosen = parts.filter((part) => only.includes(part));
  if (chosen.length !== new Set(only).size) throw new ConfigError([`--only takes ${parts.join(', ')}`]);
  return chosen;
}

const start: Service['start'] = async (host) => {
  const config = loadConfig([
    'NODE_ENV',
    'WEBHOOKS_PORT',
    'LISTEN_HOST',
    'LOG_LEVEL',
    'EVENT_STORE_URL',
    'DATABASE_URL',
    'NATS_URL',
    'NATS_STREAM_REPLICAS',
    'WEBHOOK_RETRY_SCHEDULE',
    'WEBHOOK_ALLOW_PRIVATE',
    ...tracingVariables,
  ]);
  const only = chosenParts();
  const logger = createLogger('webhooks', config.LOG_LEVEL);
  const metrics = createMetrics('webhooks');
  startTracing('webhooks', config, { logger, metrics });
  const store = host.eventStore(config.EVENT_STORE_URL, { metrics, logger });
  const webhooks = startWebhookService({
    store,
    ledgers: host.ledgers({ store, metrics }),
    directory: host.directory(store),
    databaseUrl: config.DATABASE_URL,
    natsUrl: config.NATS_URL,
    leastNats: config.NODE_ENV === 'production' ? leastNatsVersion : undefined,
    names: { ...busNames, replicas: config.NATS_STREAM_REPLICAS },
    scheduleMs: config.WEBHOOK_RETRY_SCHEDULE,
    allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    logger,
    metrics,
    only,
  });
  const app = createApp({ logger, metrics, notReady: () => webhooks.notReady() });
  app.get('/metrics', async () => {
    return new Response(await metrics.metrics(), { headers: { 'content-type': metrics.contentType } });
  });
  const server = await listen(app, { port: config.WEBHOOKS_PORT, host: config.LISTEN_HOST });
  logger.info({ port: server.port, parts: only }, 'listening');
  return {
    logger,
    stop: async () => {
      await server.close();
      await webhooks.stop();
    },
  };
};

export const service: Service = { start };
if (import.meta.main) await runService(service);
