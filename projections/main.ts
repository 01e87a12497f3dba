import { defineService } from '#shared/application/define-service.ts';
import { runService } from '#shared/application/service.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { createProjectionsApp } from './app.ts';
import { startSigner } from './tree-signer/signer.ts';
import { createSigningKey } from './tree-signer/signing-key.ts';
import { registerOpenFigures } from './open-figures.ts';
import { readModels } from './registry.ts';
import { startProjections } from './start.ts';

export const service = defineService({
  name: 'projections',
  variables: [
    'PROJECTIONS_PORT',
    'LISTEN_HOST',
    'EVENT_STORE_URL',
    'DATABASE_URL',
    'CHECKPOINT_SIGNING_KEY',
  ],
  traced: false,
  start: async ({ config, logger, metrics, eventStore, onStop, serve }) => {
    const store = eventStore(config.EVENT_STORE_URL);
    const db = connectDatabase<unknown>(config.DATABASE_URL, {
      applicationName: 'gateway-projections',
      // A crash loses rows and reading position together, and both are rebuilt from the log.
      settings: { synchronous_commit: 'off' },
      // Each worker holds one; its rebuild takes two more. The signer of trees holds one.
      maxConnections: readModels.length * 3 + 2,
    });
    onStop(() => db.destroy());
    const projections = startProjections({ db, store, logger, metrics });
    onStop(() => projections.stop());
    const key = createSigningKey(config.CHECKPOINT_SIGNING_KEY);
    const signer = startSigner({ db, store, logger, metrics, key });
    onStop(() => signer.stop());
    const app = createProjectionsApp({ logger, metrics, store, projections });
    registerOpenFigures(metrics, db);
    await serve(app, { port: config.PROJECTIONS_PORT, host: config.LISTEN_HOST });
  },
});
if (import.meta.main) await runService(service);
