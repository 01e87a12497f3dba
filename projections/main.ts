import { loadConfig } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { listen } from '#shared/platform/http/serve.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { runService, type Service } from '#shared/application/service.ts';
import { createProjectionsApp } from './app.ts';
import { registerOpenFigures } from './open-figures.ts';
import { readModels } from './registry.ts';
import { startProjections } from './start.ts';

// What it promotes is soon garbage: doubling, the whole heap would be collected each 15 s under load.
const settling = { headroomMb: 64 };

const start: Service['start'] = async (host) => {
  const config = loadConfig([
    'PROJECTIONS_PORT',
    'LISTEN_HOST',
    'EVENT_STORE_URL',
    'DATABASE_URL',
    'LOG_LEVEL',
  ]);
  const logger = createLogger('projections', config.LOG_LEVEL);
  const metrics = createMetrics('projections');
  const store = host.eventStore(config.EVENT_STORE_URL, { metrics, logger });
  const db = connectDatabase<unknown>(config.DATABASE_URL, {
    applicationName: 'gateway-projections',
    // Rows and checkpoint are lost together, and come again from the log.
    settings: { synchronous_commit: 'off' },
    // Each worker keeps one; a rebuild of its own takes two more.
    maxConnections: readModels.length * 3 + 1,
  });
  const projections = startProjections({ db, store, logger });
  const app = createProjectionsApp({ logger, metrics, store, projections });
  registerOpenFigures(metrics, db);
  const server = await listen(app, { port: config.PROJECTIONS_PORT, host: config.LISTEN_HOST });
  logger.info({ port: server.port }, 'listening');
  return {
    logger,
    stop: async () => {
      await server.close();
      await projections.stop();
      await db.destroy();
      await store.close();
    },
  };
};

export const service: Service = { start, settling };
if (import.meta.main) await runService(service);
