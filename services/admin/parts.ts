import { registerAdjustments } from './adjustments/routes.ts';
import { registerErasure } from './erasure/routes.ts';
import { registerLedger } from './ledger/routes.ts';
import { registerApiKeys } from './setup/api-keys.ts';
import { registerMerchants } from './setup/merchants.ts';
import { registerRoutes } from './setup/routes.ts';
import { registerShops } from './setup/shops.ts';
import { registerOperations } from './operations/routes.ts';
import { registerProjections } from './operations/projections.ts';
import { registerClose } from './operations/close.ts';
import { registerReview } from './operations/review.ts';
import { registerTokens } from './tokens/routes.ts';
import { registerSuspense } from './suspense/routes.ts';
import { registerMessages } from './webhook/messages.ts';
import { registerWebhook } from './webhook/endpoint.ts';

/** Every route of the admin API, by what it is about. */
export const parts = [
  registerMerchants,
  registerShops,
  registerApiKeys,
  registerRoutes,
  registerAdjustments,
  registerErasure,
  registerWebhook,
  registerMessages,
  registerLedger,
  registerOperations,
  registerReview,
  registerClose,
  registerProjections,
  registerSuspense,
  registerTokens,
] as const;
