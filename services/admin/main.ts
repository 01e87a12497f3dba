import { loadConfig } from '#shared/config/load.ts';
import { createDirectory } from '#shared/directory/directory.ts';
import { connectEventStore } from '#shared/event-store/index.ts';
import { createMetrics } from '#shared/http/metrics.ts';
import { listen } from '#shared/http/serve.ts';
import { createLogger } from '#shared/logger.ts';
import { providerNames } from '#shared/providers/names.ts';
import { runService } from '#shared/service.ts';
import { createAdminApi } from './app.ts';
import { adminToken } from './authentication.ts';

await runService(async () => {
  const config = loadConfig([
    'ADMIN_PORT',
    'ADMIN_TOKEN',
    'LISTEN_HOST',
    'LOG_LEVEL',
    'EVENT_STORE_URL',
    'DATABASE_URL',
    'WEBHOOK_ALLOW_PRIVATE',
  ]);
  const logger = createLogger('admin', config.LOG_LEVEL);
  const metrics = createMetrics('admin');
  const store = connectEventStore(config.EVENT_STORE_URL);
  const directory = createDirectory(store);
  const app = createAdminApi({
    store,
    directory,
    logger,
    metrics,
    tokens: [adminToken(config.ADMIN_TOKEN, { name: 'admin', role: 'admin' })],
    providers: providerNames,
    allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    notReady: () =>
      directory.ready().then(
        () => undefined,
        () => 'the event store does not answer',
      ),
  });
  const server = await listen(app, { port: config.ADMIN_PORT, host: config.LISTEN_HOST });
  logger.info({ port: server.port }, 'listening');
  return {
    logger,
    stop: async () => {
      await server.close();
      await directory.stop();
      await store.close();
    },
  };
});
