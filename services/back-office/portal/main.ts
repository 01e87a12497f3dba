import { defineService } from '#shared/application/define-service.ts';
import { createStatementPlans } from '#projections/ledger/statement-plans.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { createMemberList } from '#shared/application/members/members.ts';
import {
  connectForExports,
  connectForPages,
  createPageReadiness,
  merchantsExportLimits,
} from '#shared/application/page-database.ts';
import {
  connectPersonalData,
  personalDataVariables,
} from '#shared/application/personal-data/connect.ts';
import { createMasterKeys } from '#shared/application/personal-data/master-keys.ts';
import { createReceiptLinks } from '#shared/application/receipts/links.ts';
import { createReceiptStore, receiptStoreVariables } from '#shared/application/receipts/store.ts';
import { runService } from '#shared/application/service.ts';
import { gatewayUrl } from '#shared/platform/config/gateway-url.ts';
import { connectionsFor, createExports } from '#shared/platform/csv/exports.ts';
import { createRefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import { createPortalAccessLog } from './access-log.ts';
import { createPortal } from './app.ts';
import { migratePortal } from './database.ts';
import { renderPage } from './frame.ts';
import { maxConnections } from './session/require.ts';

export const service = defineService({
  name: 'portal',
  variables: [
    'NODE_ENV',
    'PORTAL_PORT',
    'PORTAL_METRICS_PORT',
    'PORTAL_BASE_URL',
    'PORTAL_TRUSTED_PROXIES',
    'RECEIPT_URL_SECRET',
    'WEBHOOK_ALLOW_PRIVATE',
    'LISTEN_HOST',
    'SHARE_PORTS',
    'EVENT_STORE_URL',
    'DATABASE_URL',
    ...personalDataVariables,
    ...receiptStoreVariables,
  ],
  start: async (context) => {
    const { name, config, logger, metrics } = context;
    const store = context.eventStore(config.EVENT_STORE_URL);
    const directory = context.directory(store);
    const { db, prepared } = connectForPages<WebhooksDatabase>(context, migratePortal, {
      maxConnections,
    });
    const trustedProxies = config.PORTAL_TRUSTED_PROXIES;
    const exporting = connectForExports(context, {
      applicationName: 'portal-exports',
      maxConnections: connectionsFor(merchantsExportLimits),
    });
    const notReady = createPageReadiness({ directory, db, prepared });
    const app = createPortal({
      store,
      directory,
      ledgers: context.ledgers(store),
      db,
      statements: createStatementPlans({ db, store, service: 'portal' }),
      exports: createExports(exporting, { logger, limits: merchantsExportLimits }),
      members: createMemberList(store),
      personal: connectPersonalData(createMasterKeys(config), { store, service: name }),
      receipts: createReceiptStore(config),
      receiptLinks: createReceiptLinks({
        baseUrl: gatewayUrl(),
        secret: config.RECEIPT_URL_SECRET,
      }),
      logger,
      metrics,
      accessLog: createPortalAccessLog(),
      refused: createRefusedCredentials({ what: 'a sign-in link', logger, trustedProxies }),
      baseUrl: config.PORTAL_BASE_URL,
      allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
      production: config.NODE_ENV === 'production',
      trustedProxies,
      notReady,
    });
    await context.serve(app, {
      port: config.PORTAL_PORT,
      host: config.LISTEN_HOST,
      sharePort: config.SHARE_PORTS,
      render: renderPage,
      metricsPort: config.PORTAL_METRICS_PORT,
      notReady,
    });
  },
});
if (import.meta.main) await runService(service);
