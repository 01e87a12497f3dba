import type { Hono } from 'hono';
import { cancelByMerchant } from '#shared/application/operations/cancel.ts';
import { validate } from '#shared/platform/http/validate.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import { forScope } from '../../scopes.ts';
import { parseBody } from '../../limits/bodies.ts';
import { shopOrigin } from '../../origin.ts';
import { referredId } from '#shared/api/bodies/operation-reference.ts';
import { cancelBodyRules, cancelBodySchema, defaultReason } from '#shared/api/bodies/cancel.ts';

/** POST /v1/cancel_operation (R8.9). */
export function registerCancel(app: Hono<MerchantEnv>, dependencies: MerchantDependencies): void {
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
      const { outcome, status, metadata } = await cancelByMerchant(
        dependencies,
        command,
        shopOrigin(c),
      );
      const operation = {
        operation_id: operationId,
        type: 'payment',
        status,
        ...(metadata && { metadata }),
      };
      return c.json({ outcome, operation });
    }),
  );
}
