import { registerBalancesPage } from './balances/page.ts';
import { registerJournal } from './balances/journal.ts';
import { registerStatement } from './balances/statement.ts';
import { registerStatementPage } from './balances/statement-page.ts';
import type { Portal, PortalApp } from './env.ts';
import { registerPortalExports } from './exports/routes.ts';
import { registerKeys } from './keys/page.ts';
import { registerMembersPage } from './members/page.ts';
import { registerPortalOperationsList } from './operations/list.ts';
import { registerPortalOperationPage } from './operations/operation-page.ts';
import { registerPortalReceipts } from './operations/receipts.ts';
import { registerBatch } from './payouts/batch.ts';
import { registerUpload } from './payouts/upload.ts';
import { registerMessage } from './webhooks/message.ts';
import { registerPortalWebhooks } from './webhooks/page.ts';

/** Every page that only shows something; pages that change something are acts. */
export const portalPages: readonly ((app: PortalApp, portal: Portal) => void)[] = [
  (app) => app.get('/', (c) => c.redirect('/operations', 303)),
  registerPortalOperationsList,
  registerPortalOperationPage,
  registerPortalReceipts,
  registerUpload,
  registerBatch,
  registerBalancesPage,
  registerJournal,
  registerStatementPage,
  registerStatement,
  registerPortalWebhooks,
  registerMessage,
  registerKeys,
  registerMembersPage,
  registerPortalExports,
];
