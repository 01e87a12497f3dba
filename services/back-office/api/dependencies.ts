import type { Directory } from '#shared/application/directory/directory.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Exports } from '#shared/platform/csv/exports.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { MemberList } from '#shared/application/members/members.ts';
import type {
  PersonalData,
  ReportSealers,
} from '#shared/application/personal-data/personal-data.ts';
import type { AccountConnectors } from '#shared/application/providers/accounts/connectors.ts';
import type { CredentialKeys } from '#shared/application/providers/accounts/credential-keys.ts';
import type { Providers } from '#shared/application/providers/connector.ts';
import type { ErasableReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import type { RefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import type { AccessLog } from '../frame/access-log.ts';
import type { FixedToken, OperatorIdentity } from './authentication.ts';
import type { AdminDb } from './database.ts';
import type { TokenRegistry } from './tokens/registry.ts';

/** The dependencies of the admin API; `main.ts` creates them. */
export type AdminDependencies = {
  store: EventStore;
  directory: Directory;
  ledgers: Ledgers;
  db: AdminDb;
  /** For matching statements: a large day takes longer than other pages may. */
  matching: AdminDb;
  /** Who of merchants' staff may use the portal. */
  members: MemberList;
  /** The portal's URL (PORTAL_BASE_URL). */
  portalUrl: string;
  /** Lists as CSV, over connections of their own. */
  exports: Exports;
  /** The files that payers uploaded, and files of payouts that wait for their confirmation. */
  receipts: Pick<ErasableReceiptStore, 'get' | 'list'>;
  personal: Pick<
    PersonalData,
    'open' | 'openEvent' | 'openFields' | 'openText' | keyof ReportSealers
  >;
  logger: Logger;
  /** ADMIN_TOKEN, the first admin token. */
  fixedTokens: readonly FixedToken[];
  /** The tokens that were issued by command. */
  registry: TokenRegistry;
  /** The connectors that a route may name. */
  providers: readonly string[];
  /** The connectors: used before an operation is closed manually, and for evidence of transfers. */
  connectors: Providers;
  /** The connectors of single accounts. */
  accounts: Pick<AccountConnectors, 'use' | 'list'>;
  /** The keys that seal accounts' credentials. */
  credentialKeys: CredentialKeys;
  /** Counts wrong credentials, of the API and of the console's sign-in. */
  refused: RefusedCredentials;
  /** Logs who saw which operation's personal data. */
  accessLog: AccessLog<OperatorIdentity>;
  /** NODE_ENV: sessions end sooner, and their cookie is for TLS alone. */
  production: boolean;
  /** Proxies before this service (ADMIN_TRUSTED_PROXIES). */
  trustedProxies: number;
  /** STATEMENTS_AFTER_S: a statement is not missing until this long after its day's end. */
  statementsAfterMs: number;
  /** WEBHOOK_ALLOW_PRIVATE: endpoints may be http: and private. */
  allowPrivate: boolean;
};
