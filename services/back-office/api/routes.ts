import { registerActivity } from './activity/routes.ts';
import { registerAdjustments } from './adjustments/routes.ts';
import { registerAudits } from './audits/routes.ts';
import { registerErasure } from './erasure/routes.ts';
import { registerExports } from './exports/routes.ts';
import { registerLedger } from './ledger/routes.ts';
import { registerAccounts } from './accounts/routes.ts';
import { registerProviders } from './providers/routes.ts';
import { registerApiKeys } from './setup/api-keys.ts';
import { registerCandidates } from './setup/route-candidates.ts';
import { registerMerchants } from './setup/merchants.ts';
import { registerRoutes } from './setup/routes.ts';
import { registerShops } from './setup/shops.ts';
import { registerOperations } from './operations/routes.ts';
import { registerProjections } from './projections.ts';
import { registerClose } from './operations/close.ts';
import { registerReview } from './operations/review.ts';
import { registerMembers } from './members/routes.ts';
import { registerTokens } from './tokens/routes.ts';
import { registerStatements } from './statements/routes.ts';
import { registerSuspense } from './suspense/routes.ts';
import { registerMessages } from './webhook/messages.ts';
import { registerWebhook } from './webhook/endpoint.ts';

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
