import type { Kysely } from 'kysely';
import type { Directory } from '#shared/application/directory/directory.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { MemberList } from '#shared/application/members/members.ts';
import type { PersonalData } from '#shared/application/personal-data/personal-data.ts';
import type { ReceiptLinks } from '#shared/application/receipts/links.ts';
import type { ReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import type { StatementPlans } from '#projections/ledger/statement-plans.ts';
import type { Exports } from '#shared/platform/csv/exports.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { RefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { AccessLog } from '../frame/access-log.ts';
import type { PortalReader } from './access-log.ts';

/** The dependencies of the portal; `main.ts` creates them. */
export type PortalDependencies = {
  store: EventStore;
  directory: Pick<Directory, 'byId'>;
  ledgers: Pick<Ledgers, 'position' | 'post' | 'isPosted' | 'isExplored' | 'booked'>;
  db: Kysely<WebhooksDatabase>;
  /** Lists as CSV, over connections of their own. */
  exports: Exports;
  statements: StatementPlans;
  members: MemberList;
  personal: Pick<
    PersonalData,
    'bodyHashUnder' | 'open' | 'openEvent' | 'openFields' | 'openText' | 'sealer'
  >;
  /** Where files of payouts wait for their confirmation. */
  receipts: ReceiptStore;
  /** Links to the evidence of transfers, which the merchant API answers. */
  receiptLinks: Pick<ReceiptLinks, 'urlOf'>;
  logger: Logger;
  /** Logs who viewed which operation, and who exported which list. */
  accessLog: AccessLog<PortalReader>;
  /** Counts sign-in links that were refused. */
  refused: RefusedCredentials;
  /** Where members reach the portal, without a slash at its end (PORTAL_BASE_URL). */
  baseUrl: string;
  /** WEBHOOK_ALLOW_PRIVATE: endpoints for webhooks may be http: and private. */
  allowPrivate: boolean;
  /** NODE_ENV: sessions end sooner, and their cookie is for TLS alone. */
  production: boolean;
  /** Proxies before this service (PORTAL_TRUSTED_PROXIES). */
  trustedProxies: number;
};
