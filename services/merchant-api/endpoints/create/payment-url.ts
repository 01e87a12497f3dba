import type { Operation } from '#shared/domain/operation/state.ts';
import type { Shop } from '#shared/domain/shop/state.ts';

/**
 * Where the payer is sent (R5.11): null where the shop has no hosted page, and for a
 * cancelled payment, of which no page shows anything (R5.13).
 */
export function paymentUrl(
  { operationId, status }: Operation,
  { shop, baseUrl }: { shop: Shop; baseUrl: string },
): string | null {
  return shop.settings.hosted_page && status !== 'cancelled' ? `${baseUrl}/${operationId}` : null;
}
