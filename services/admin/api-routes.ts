import { registerActivity } from './api/activity/routes.ts';
import { registerAdjustments } from './api/adjustments/routes.ts';
import { registerAudits } from './api/audits/routes.ts';
import { registerErasure } from './api/erasure/routes.ts';
import { registerExports } from './exports/routes.ts';
import { registerLedger } from './api/ledger/routes.ts';
import { registerAccounts } from './api/accounts/routes.ts';
import { registerProviders } from './api/providers/routes.ts';
import { registerApiKeys } from './api/setup/api-keys.ts';
import { registerCandidates } from './api/setup/route-candidates.ts';
import { registerMerchants } from './api/setup/merchants.ts';
import { registerRoutes } from './api/setup/routes.ts';
import { registerShops } from './api/setup/shops.ts';
import { registerOperations } from './api/operations/routes.ts';
import { registerProjections } from './api/operations/projections.ts';
import { registerClose } from './api/operations/close.ts';
import { registerReview } from './api/operations/review.ts';
import { registerMembers } from './api/members/routes.ts';
import { registerTokens } from './api/tokens/routes.ts';
import { registerStatements } from './api/statements/routes.ts';
import { registerSuspense } from './api/suspense/routes.ts';
import { registerMessages } from './api/webhook/messages.ts';
import { registerWebhook } from './api/webhook/endpoint.ts';

/** Every route of the admin API, by topic. */
export const apiRoutes = [
  registerMerchants,
  registerShops,
  registerApiKeys,
  registerMembers,
  registerRoutes,
  registerCandidates,
  registerProviders,
  registerAccounts,
  registerAdjustments,
  registerErasure,
  registerWebhook,
  registerMessages,
  registerLedger,
  registerOperations,
  registerExports,
  registerReview,
  registerClose,
  registerProjections,
  registerSuspense,
  registerStatements,
  registerTokens,
  registerActivity,
  registerAudits,
] as const;
