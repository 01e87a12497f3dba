import type { Hono } from 'hono';
import { cancel, cancelOutcome } from '#shared/domain/operation/ends/cancel.ts';
import { handleOperation } from '#shared/application/operations/handle-operation.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import { forScope } from '../../scopes.ts';
import { parseBody } from '../../limits/bodies.ts';
import { shopOrigin } from '../../origin.ts';
import { ensureEntriesPosted } from '#shared/application/operations/post-before-answer.ts';
import { referredId } from '#shared/api/bodies/operation-reference.ts';
import { cancelBodyRules, cancelBodySchema, defaultReason } from '#shared/api/bodies/cancel.ts';

const undecided = (cause: unknown): never => {
  throw new Problem('cancel_undecided', {
    detail: 'no decision was made: send the same cancel again, or read the operation',
    cause,
  });
};

/** How long a decision may take; after it the answer is `cancel_undecided`. */
const decisionMs = 10_000;

/**
 * POST /v1/cancel_operation (R8.9). Decided only on the operation's own stream: of create and
 * cancel the one that is appended first wins, on every instance, and no provider is called.
 */
export function registerCancel(
  app: Hono<MerchantEnv>,
  { store, entryPoster, personal }: MerchantDependencies,
): void {
  app.post(
    '/v1/cancel_operation',
    forScope('payments', async (c) => {
      const body = validate(cancelBodySchema, parseBody(c), cancelBodyRules);
      const shop = c.get('shop');
      const operationId = referredId(shop, body);
      const command = {
        operationId,
        shopId: shop.shopId,
        merchantId: shop.merchantId,
        ...(body.merchant_operation_id !== undefined && {
          merchantOperationId: body.merchant_operation_id,
        }),
        reason: body.reason === undefined || body.reason === '' ? defaultReason : body.reason,
      };
      const result = await handleOperation(
        { store, operationId, from: 'memory', origin: shopOrigin(c), deadlineMs: decisionMs },
        (state) => cancel(state, command),
      );
      switch (result.outcome) {
        case 'refused':
          throw new Problem(result.refusal.code);
        case 'undecided':
          return undecided(result.cause);
        case 'done': {
          const { state } = result;
          if (state.phase === 'admitted') await ensureEntriesPosted(entryPoster, state);
          // There is no create yet, so the key is that of a cancelled payment.
          const status = state.phase === 'admitted' ? state.status : 'cancelled';
          const stored = state.phase === 'admitted' ? state.request.metadata : undefined;
          const metadata = await personal.openMetadata(operationId, stored).catch(undecided);
          const operation = {
            operation_id: operationId,
            type: 'payment',
            status,
            ...(metadata && { metadata }),
          };
          return c.json({ outcome: cancelOutcome(state), operation });
        }
      }
    }),
  );
}
