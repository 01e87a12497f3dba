import { registerAccountsPage } from './accounts/page.ts';
import { registerActivityPage } from './activity/page.ts';
import { registerAuditsPage } from './audits/list.ts';
import { registerAuditPage } from './audits/audit-page.ts';
import { registerBalances } from './balances/page.ts';
import { registerLedgerPage } from './balances/ledger.ts';
import type { Console, ConsoleApp } from './env.ts';
import { registerExportsOfPages } from './exports/routes.ts';
import { registerOperationsList } from './operations/list.ts';
import { registerOperationPage } from './operations/operation-page.ts';
import { registerReceipts } from './operations/receipts.ts';
import { registerOperators } from './operators/page.ts';
import { registerOverview } from './overview/page.ts';
import { registerProjectionsPage } from './projections/page.ts';
import { registerProvidersPage } from './providers/page.ts';
import { registerReviewQueue } from './review/page.ts';
import { registerReviewOfSeveral } from './review/bulk-review.ts';
import { registerTryRoutes } from './routes/try-routes-page.ts';
import { registerSavedFilters } from './saved-filters.ts';
import { registerShopsList } from './shops/list.ts';
import { registerShopPage } from './shops/shop-page.ts';
import { registerStatementPages } from './statements/page.ts';
import { registerSuspensePage } from './suspense/page.ts';
import { registerMessagesPage } from './webhooks/messages.ts';
import { registerWebhooks } from './webhooks/page.ts';

/** Every read-only page; changes are actions. */
export const pages: readonly ((app: ConsoleApp, console: Console) => void)[] = [
  registerOverview,
  registerOperationsList,
  registerOperationPage,
  registerReceipts,
  registerReviewQueue,
  registerReviewOfSeveral,
  registerShopsList,
  registerShopPage,
  registerTryRoutes,
  registerProvidersPage,
  registerAccountsPage,
  registerMessagesPage,
  registerLedgerPage,
  registerWebhooks,
  registerBalances,
  registerSuspensePage,
  registerStatementPages,
  registerProjectionsPage,
  registerActivityPage,
  registerAuditsPage,
  registerAuditPage,
  registerOperators,
  registerExportsOfPages,
  registerSavedFilters,
];
