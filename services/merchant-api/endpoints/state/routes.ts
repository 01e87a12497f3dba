import type { Hono } from 'hono';
import { viewOperation } from '#shared/domain/operation/view.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { Dependencies } from '../../dependencies.ts';
import { forScope } from '../../scopes.ts';
import { originOf } from '../../origin.ts';
import { jsonOf } from '../../limits/bodies.ts';
import { decryptOrNotReady } from '../../decrypt-or-not-ready.ts';
import { ensureEntriesPosted } from '#shared/application/operations/post-before-answer.ts';
import {
  operationReferenceRules,
  operationReferenceSchema,
  referredId,
} from '#shared/api/bodies/operation-reference.ts';
import { createEvidenceReader } from './evidence.ts';
import { withoutFiles } from './receipts.ts';

/**
 * POST /v1/get_operation_state (R10.1). The answer is folded from the operation's own stream. It is
 * never older than an earlier answer to the client, and does not wait for a projection (R10.2).
 */
export function registerState(app: Hono<MerchantEnv>, dependencies: Dependencies): void {
  const { current, entryPoster, personal } = dependencies;
  const evidence = createEvidenceReader(dependencies);
  app.post(
    '/v1/get_operation_state',
    forScope('read', async (c) => {
      const reference = validate(operationReferenceSchema, jsonOf(c), operationReferenceRules);
      const shop = c.get('shop');
      const operation = await current.operation(referredId(shop, reference)).catch(notReadable);
      // An operation of another shop, and one that is still being created, are answered as unknown
      // ones.
      const ownOperation = operation?.shopId === shop.shopId ? operation : undefined;
      const opened = ownOperation && (await decryptOrNotReady(personal, ownOperation));
      const view = ownOperation && viewOperation(ownOperation, opened);
      if (!operation || !view) throw new Problem('operation_not_found');
      const [receipts, admittedAt, returned] = await Promise.all([
        evidence.of(operation, originOf(c)),
        current.admittedAt(operation.operationId).catch(notReadable),
        current.returned(operation).catch(notReadable),
        ensureEntriesPosted(entryPoster, operation),
      ]);
      // Only a request by `merchant_operation_id` is answered without the evidence (R10.6).
      if (
        receipts.receipt_evidence_status === 'unavailable' &&
        reference.operation_id !== undefined
      )
        throw new Problem('receipt_evidence_unavailable');
      return c.json({
        ...view,
        merchant_operation_id: operation.merchantOperationId,
        client_id: operation.request.client_id,
        created_at: admittedAt.toISOString(),
        ...(returned !== undefined && { returned_amount: returned }),
        ...(opened?.erased ? withoutFiles(receipts) : receipts),
      });
    }),
  );
}

function notReadable(cause: unknown): never {
  throw new Problem('not_ready', { detail: 'the operation could not be read', cause });
}
