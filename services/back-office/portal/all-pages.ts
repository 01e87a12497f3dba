import { registerBalances } from './balances/page.ts';
import { registerJournal } from './balances/journal.ts';
import { registerStatement } from './balances/statement.ts';
import type { Portal, PortalApp } from './env.ts';
import { registerExports } from './exports/routes.ts';
import { registerKeys } from './keys/page.ts';
import { registerMembers } from './members/page.ts';
import { registerOperationsList } from './operations/list.ts';
import { registerOperationPage } from './operations/operation-page.ts';
import { registerReceipts } from './operations/receipts.ts';
import { registerBatch } from './payouts/batch.ts';
import { registerUpload } from './payouts/upload.ts';
import { registerMessage } from './webhooks/message.ts';
import { registerWebhooks } from './webhooks/page.ts';

/** Every page that only shows something; pages that change something are acts. */
export const pages: readonly ((app: PortalApp, portal: Portal) => void)[] = [
  (app) => app.get('/', (c) => c.redirect('/operations', 303)),
  registerOperationsList,
  registerOperationPage,
  registerReceipts,
  registerUpload,
  registerBatch,
  registerBalances,
  registerJournal,
  registerStatement,
  registerWebhooks,
  registerMessage,
  registerKeys,
  registerMembers,
  registerExports,
];
