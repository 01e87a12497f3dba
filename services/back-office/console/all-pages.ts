import { registerAccountsPage } from './accounts/page.ts';
import { registerActivityPage } from './activity/page.ts';
import { registerAuditsPage } from './audits/list.ts';
import { registerAuditPage } from './audits/audit-page.ts';
import { registerBalancePages } from './balances/page.ts';
import { registerLedgerPage } from './balances/ledger.ts';
import type { Console, ConsoleApp } from './env.ts';
import { registerExportsOfPages } from './exports/routes.ts';
import { registerConsoleOperationsList } from './operations/list.ts';
import { registerConsoleOperationPage } from './operations/operation-page.ts';
import { registerConsoleReceipts } from './operations/receipts.ts';
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
import { registerConsoleWebhooks } from './webhooks/page.ts';

/** Every read-only page; changes are actions. */
export const consolePages: readonly ((app: ConsoleApp, console: Console) => void)[] = [
  registerOverview,
  registerConsoleOperationsList,
  registerConsoleOperationPage,
  registerConsoleReceipts,
  registerReviewQueue,
  registerReviewOfSeveral,
  registerShopsList,
  registerShopPage,
  registerTryRoutes,
  registerProvidersPage,
  registerAccountsPage,
  registerMessagesPage,
  registerLedgerPage,
  registerConsoleWebhooks,
  registerBalancePages,
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
