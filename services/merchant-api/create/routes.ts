import type { Context, Hono } from 'hono';
import type { Operation } from '#shared/domain/operation/state.ts';
import { viewOperation } from '#shared/domain/operation/view.ts';
import { readJson } from '#shared/http/body.ts';
import { Problem } from '#shared/http/problems.ts';
import type { MerchantEnv } from '../authentication.ts';
import type { Dependencies } from '../dependencies.ts';
import { parseCreateBody } from './body.ts';
import { createOperation } from './create-operation.ts';

/** POST /v1/payment (specification 4.1). */
export function registerCreate(app: Hono<MerchantEnv>, dependencies: Dependencies): void {
  app.post('/v1/payment', async (c) => {
    const body = parseCreateBody('payment', await readJson(c));
    const shop = c.get('shop');
    const requestId = c.get('requestId');
    const origin = { actor: `merchant:${shop.shopId}`, correlationId: requestId, requestId };
    const result = await createOperation(dependencies, { shop, body, origin });
    switch (result.outcome) {
      case 'created':
        return answer(c, result.operation);
      case 'replayed':
        return answer(c, result.operation, { 'Idempotent-Replayed': 'true' });
      case 'body_mismatch':
        throw new Problem('idempotency_body_mismatch');
      case 'undecided':
        throw new Problem('not_ready', {
          detail: 'the outcome is not known yet: send the same request again',
        });
    }
  });
}

/** How a creation that no provider took is explained (contract §2, `provider_not_accepted`). */
const rejections: Readonly<Record<string, string>> = {
  no_route: 'no provider is configured for this operation',
  all_refused: 'every eligible provider refused the operation',
  acceptance_timeout: 'no provider accepted the operation within the acceptance wait',
};

function answer(
  c: Context<MerchantEnv>,
  operation: Operation,
  headers: Record<string, string> = {},
): Response {
  const rejection = operation.status === 'declined' ? rejections[operation.declineReason ?? ''] : undefined;
  if (rejection !== undefined) {
    throw new Problem('provider_not_accepted', {
      detail: rejection,
      headers,
      members: { operation_id: operation.operationId },
    });
  }
  const view = viewOperation(operation);
  if (!view) throw new Error(`operation ${operation.operationId} has no outcome to answer with`);
  return c.json(view, 200, headers);
}
