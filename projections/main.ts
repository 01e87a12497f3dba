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
  followsUnverified: true,
  start: async ({ config, logger, metrics, eventStore, onStop, serve }) => {
    const store = eventStore(config.EVENT_STORE_URL);
    const connect = (options: {
      applicationName: string;
      maxConnections: number;
      silenceMs?: number;
    }) => {
      const db = connectDatabase<unknown>(config.DATABASE_URL, {
        // A crash loses rows and reading position together, and both are rebuilt from the log.
        settings: { synchronous_commit: 'off' },
        ...options,
      });
      onStop(() => db.destroy());
      return db;
    };
    // Each worker holds one. The signer of trees holds one.
    const db = connect({
      applicationName: 'gateway-projections',
      maxConnections: readModels.length + 2,
      // PostgreSQL itself ends a statement after 30 s.
      silenceMs: 35_000,
    });
    // Two for each rebuild, which indexes and compares tables for longer.
    const rebuildDb = connect({
      applicationName: 'gateway-rebuild',
      maxConnections: readModels.length * 2,
    });
    const projections = startProjections({ db, rebuildDb, store, logger, metrics });
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
