import type { Context, Hono } from 'hono';
import type { OperationType } from '#shared/domain/operation-type.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { viewOperation } from '#shared/domain/operation/view.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import { forScope } from '../../scopes.ts';
import { parseBody } from '../../limits/bodies.ts';
import { decryptOrNotReady } from '../../decrypt-or-not-ready.ts';
import { shopOrigin } from '../../origin.ts';
import { ensureEntriesPosted } from '#shared/application/operations/post-before-answer.ts';
import { parseCreateBody } from '#shared/application/create-body/body.ts';
import { countCardNumbers } from './card-numbers.ts';
import {
  createOperation,
  toOperationId,
  type CreateResult,
} from '#shared/application/operations/create/create-operation.ts';
import { findRejection } from '#shared/application/operations/create/rejections.ts';

type Extra = (operation: Operation, c: Context<MerchantEnv>) => object;

/** POST /v1/payment, /v1/payment/link and /v1/payout. */
export function registerCreate(
  app: Hono<MerchantEnv>,
  { metrics, ...dependencies }: MerchantDependencies & { metrics: Metrics },
): void {
  const { personal } = dependencies;
  const countLikeCards = countCardNumbers(metrics);
  type Endpoint = { type: OperationType; endpoint: string; extra: Extra };
  const create =
    ({ type, endpoint, extra }: Endpoint) =>
    async (c: Context<MerchantEnv>): Promise<Response> => {
      const body = parseCreateBody(type, parseBody(c));
      const shop = c.get('shop');
      countLikeCards(shop.shopId, body);
      const operationId = toOperationId(shop, body);
      const { shopId } = shop;
      const signal = () => c.req.raw.signal;
      const slot = await dependencies.gate.enter({ shopId, operationId, signal });
      try {
        const request = { shop, type, body, operationId, endpoint, origin: shopOrigin(c), slot };
        return await answerWith(c, await createOperation(dependencies, request), extra);
      } finally {
        slot.release();
      }
    };
  const answerWith = async (
    c: Context<MerchantEnv>,
    result: CreateResult,
    extra: Extra,
  ): Promise<Response> => {
    if (result.outcome === 'body_mismatch')
      throw new Problem('idempotency_body_mismatch', { detail: result.difference });
    if (result.outcome === 'undecided')
      throw new Problem('not_ready', {
        detail: 'the outcome is not known yet: retry the same request',
      });
    const { outcome, operation } = result;
    await ensureEntriesPosted(dependencies.entryPoster, operation);
    const headers: Record<string, string> =
      outcome === 'replayed' ? { 'Idempotent-Replayed': 'true' } : {};
    const rejection = findRejection(operation);
    if (rejection) {
      throw new Problem(rejection.code, {
        detail: rejection.detail,
        headers,
        members: { operation_id: operation.operationId },
      });
    }
    const view = viewOperation(operation, await decryptOrNotReady(personal, operation));
    if (!view) throw new Error(`operation ${operation.operationId} has no outcome to answer with`);
    return c.json({ ...view, ...extra(operation, c) }, 200, headers);
  };
  const plain: Extra = () => ({});
  const withUrl: Extra = (operation, c) => ({
    payment_url: paymentUrl(operation, { shop: c.get('shop'), baseUrl: dependencies.payBaseUrl }),
  });
  const post = (endpoint: Endpoint) =>
    app.post(
      endpoint.endpoint,
      forScope(endpoint.type === 'payment' ? 'payments' : 'payouts', create(endpoint)),
    );
  post({ type: 'payment', endpoint: '/v1/payment', extra: plain });
  post({ type: 'payment', endpoint: '/v1/payment/link', extra: withUrl });
  post({ type: 'payout', endpoint: '/v1/payout', extra: plain });
}

/**
 * The link for the payer (R5.11): null if the shop has no payment page, and for a cancelled
 * payment, which no page shows (R5.13).
 */
function paymentUrl(
  { operationId, status }: Operation,
  { shop, baseUrl }: { shop: Shop; baseUrl: string },
): string | null {
  return shop.settings.hosted_page && status !== 'cancelled' ? `${baseUrl}/${operationId}` : null;
}
