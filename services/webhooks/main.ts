import { defineService } from '#shared/application/define-service.ts';
import {
  connectPersonalData,
  personalDataVariables,
} from '#shared/application/personal-data/connect.ts';
import { createMasterKeys } from '#shared/application/personal-data/master-keys.ts';
import { runService } from '#shared/application/service.ts';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { loadSigningKey } from '#shared/platform/config/signing-key.ts';
import { createApp, registerMetrics } from '#shared/platform/http/app.ts';
import { leastNatsVersion } from '#shared/platform/nats/least-version.ts';
import { busNames } from './bus.ts';
import { parts, startWebhookService, type ServicePart } from './service.ts';

const usage = `usage: npx node services/webhooks/main.ts [--only relay|ingest|dispatch|reconcile]…

Sends webhooks (docs/developers/webhooks.md). Without --only this process runs all four parts.
`;

/**
 * `--only relay|ingest|dispatch|reconcile`, also several times: the parts that this process runs.
 */
function chosenParts(): readonly ServicePart[] {
  if (!import.meta.main) return parts;
  const { only } = readCommandLine(usage, {
    options: { only: { type: 'string', multiple: true } },
  }).values;
  if (only === undefined) return parts;
  const chosen = parts.filter((part) => only.includes(part));
  if (chosen.length !== new Set(only).size)
    refuseCommandLine(usage, `--only takes ${parts.join(', ')}`);
  return chosen;
}

export const service = defineService({
  name: 'webhooks',
  variables: [
    'NODE_ENV',
    'WEBHOOKS_PORT',
    'LISTEN_HOST',
    'EVENT_STORE_URL',
    'DATABASE_URL',
    'NATS_URL',
    'NATS_STREAM_REPLICAS',
    'WEBHOOK_RETRY_SCHEDULE',
    'WEBHOOK_ALLOW_PRIVATE',
    ...personalDataVariables,
  ],
  start: async (context) => {
    const { name, config, logger, metrics } = context;
    const only = chosenParts();
    const store = context.eventStore(config.EVENT_STORE_URL);
    const webhooks = startWebhookService({
      store,
      ledgers: context.ledgers(store),
      directory: context.directory(store),
      personal: connectPersonalData(createMasterKeys(config), { store, service: name }),
      macKey: loadSigningKey(name),
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
    context.onStop(() => webhooks.stop());
    const app = createApp({ logger, metrics, notReady: () => webhooks.notReady() });
    registerMetrics(app, metrics);
    await context.serve(app, {
      port: config.WEBHOOKS_PORT,
      host: config.LISTEN_HOST,
      note: { parts: only },
    });
  },
});
if (import.meta.main) await runService(service);
