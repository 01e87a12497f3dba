import { defineService } from '#shared/application/define-service.ts';
import { runService } from '#shared/application/service.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { createProjectionsApp } from './app.ts';
import { registerOpenFigures } from './open-figures.ts';
import { readModels } from './registry.ts';
import { startProjections } from './start.ts';

export const service = defineService({
  name: 'projections',
  // What it promotes is soon garbage: doubling, the whole heap would be collected each 15 s under
  // load.
  tuning: { headroomMb: 32 },
  variables: ['PROJECTIONS_PORT', 'LISTEN_HOST', 'EVENT_STORE_URL', 'DATABASE_URL'],
  traced: false,
  start: async ({ config, logger, metrics, eventStore, onStop, serve }) => {
    const store = eventStore(config.EVENT_STORE_URL);
    const db = connectDatabase<unknown>(config.DATABASE_URL, {
      applicationName: 'gateway-projections',
      // Rows and checkpoint are lost together, and come again from the log.
      settings: { synchronous_commit: 'off' },
      // Each worker keeps one; a rebuild of its own takes two more.
      maxConnections: readModels.length * 3 + 1,
    });
    onStop(() => db.destroy());
    const projections = startProjections({ db, store, logger });
    onStop(() => projections.stop());
    const app = createProjectionsApp({ logger, metrics, store, projections });
    registerOpenFigures(metrics, db);
    await serve(app, { port: config.PROJECTIONS_PORT, host: config.LISTEN_HOST });
  },
});
if (import.meta.main) await runService(service);
