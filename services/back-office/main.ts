import { guardCheckpoints } from '#shared/application/log/guard-checkpoints.ts';
import { defineService } from '#shared/application/define-service.ts';
import {
  connectBackingServices,
  backingServiceVariables,
} from '#shared/application/backing-services.ts';
import { createMemberList } from '#shared/application/members/members.ts';
import { createExports, exportLimits } from '#shared/platform/csv/exports.ts';
import {
  connectForExports,
  connectForMatching,
  connectForPages,
  createPageReadiness,
} from '#shared/application/page-database.ts';
import { callbackKeyVariables } from '#shared/application/providers/accounts/credential-keys.ts';
import { providerNames } from '#shared/application/providers/names.ts';
import { runService } from '#shared/application/service.ts';
import { createRefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import { createAdminAccessLog } from './api/access-log.ts';
import { registerDiskMetrics } from '#shared/platform/metrics/disk.ts';
import { registerAuditMetrics } from './api/audits/metrics.ts';
import { startSweeper } from './api/start-sweeper.ts';
import { createTokenRegistry } from './api/tokens/registry.ts';
import { createAdminApi } from './app.ts';
import { firstTokens } from './api/authentication.ts';
import { renderUnread } from './console/frame.ts';
import { sweepWaitingFiles } from './api/sweep-waiting-files.ts';
import { sweepHeldFiles } from './console/actions/sweep-held-files.ts';
import { migrateAdmin, type AdminDatabase } from './api/database.ts';

export const service = defineService({
  name: 'admin',
  variables: [
    'NODE_ENV',
    'ADMIN_PORT',
    'ADMIN_METRICS_PORT',
    'ADMIN_TRUSTED_PROXIES',
    'ADMIN_TOKEN',
    'ADMIN_TOKEN_PREVIOUS',
    'LISTEN_HOST',
    'SHARE_PORTS',
    'EVENT_STORE_URL',
    'DATABASE_URL',
    'PORTAL_BASE_URL',
    'STATEMENTS_AFTER_S',
    'WEBHOOK_ALLOW_PRIVATE',
    ...backingServiceVariables,
    ...callbackKeyVariables,
  ],
  optional: ['AUDIT_EVERY_S'],
  start: async (context) => {
    const { config, logger, metrics } = context;
    const store = context.eventStore(config.EVENT_STORE_URL);
    const directory = context.directory(store);
    const ledgers = context.ledgers(store);
    const { db, prepared } = connectForPages(context, migrateAdmin);
    const { receipts, personal, providers, accounts, credentialKeys } = connectBackingServices(
      context,
      {
        store,
        directory,
      },
    );
    const trustedProxies = config.ADMIN_TRUSTED_PROXIES;
    const exporting = connectForExports(context, {
      applicationName: 'admin-exports',
      maxConnections: exportLimits.atOnce,
    });
    const matching = connectForMatching<AdminDatabase>(context, {
      applicationName: 'admin-statements',
      maxConnections: 3,
    });
    const guard = guardCheckpoints({ logger, metrics });
    const unready = createPageReadiness({ directory, db, prepared });
    const notReady = async () => (await unready()) ?? guard.notReady();
    const app = createAdminApi({
      store,
      directory,
      ledgers,
      db,
      matching,
      members: createMemberList(store),
      portalUrl: config.PORTAL_BASE_URL,
      exports: createExports(exporting, { logger }),
      receipts,
      personal,
      logger,
      metrics,
      registry: createTokenRegistry(store),
      fixedTokens: firstTokens([config.ADMIN_TOKEN, config.ADMIN_TOKEN_PREVIOUS]),
      providers: providerNames,
      refused: createRefusedCredentials({ what: 'an admin token', logger, trustedProxies }),
      accessLog: createAdminAccessLog(),
      production: config.NODE_ENV === 'production',
      statementsAfterMs: config.STATEMENTS_AFTER_S * 1_000,
      trustedProxies,
      connectors: providers,
      accounts,
      credentialKeys,
      allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
      notReady,
    });
    await context.serve(app, {
      port: config.ADMIN_PORT,
      host: config.LISTEN_HOST,
      sharePort: config.SHARE_PORTS,
      render: renderUnread,
      metricsPort: config.ADMIN_METRICS_PORT,
      notReady,
    });
    registerAuditMetrics(metrics, { store, everyS: config.AUDIT_EVERY_S });
    registerDiskMetrics(metrics, config.DATA_DIR);
    startSweeper(context, { store, guard, ledgers, db, receipts, prepared });
    sweepHeldFiles(context, { db, prepared });
    sweepWaitingFiles(context, { db, store, receipts });
  },
});
if (import.meta.main) await runService(service);
