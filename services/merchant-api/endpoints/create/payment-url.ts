import type { Operation } from '#shared/domain/operation/state.ts';
import type { Shop } from '#shared/domain/shop/state.ts';

/**
 * The link for the payer (R5.11): null if the shop has no payment page, and for a cancelled
 * payment, which no page shows (R5.13).
 */
export function paymentUrl(
  { operationId, status }: Operation,
  { shop, baseUrl }: { shop: Shop; baseUrl: string },
): string | null {
  return shop.settings.hosted_page && status !== 'cancelled' ? `${baseUrl}/${operationId}` : null;
}
