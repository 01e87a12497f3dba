import { registerActivity } from './activity/routes.ts';
import { registerAdjustments } from './adjustments/routes.ts';
import { registerAudits } from './audits/routes.ts';
import { registerErasure } from './erasure/routes.ts';
import { registerAdminExports } from './exports/routes.ts';
import { registerLedger } from './ledger/routes.ts';
import { registerAccountRoutes } from './accounts/routes.ts';
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
import { registerMemberRoutes } from './members/routes.ts';
import { registerTokens } from './tokens/routes.ts';
import { registerStatementRoutes } from './statements/routes.ts';
import { registerSuspense } from './suspense/routes.ts';
import { registerMessages } from './webhook/messages.ts';
import { registerWebhook } from './webhook/endpoint.ts';

/** Every route of the admin API, by topic. */
export const apiRoutes = [
  registerMerchants,
  registerShops,
  registerApiKeys,
  registerMemberRoutes,
  registerRoutes,
  registerCandidates,
  registerProviders,
  registerAccountRoutes,
  registerAdjustments,
  registerErasure,
  registerWebhook,
  registerMessages,
  registerLedger,
  registerOperations,
  registerAdminExports,
  registerReview,
  registerClose,
  registerProjections,
  registerSuspense,
  registerStatementRoutes,
  registerTokens,
  registerActivity,
  registerAudits,
] as const;
