import type { Hono } from 'hono';
import { operationObject } from '#shared/domain/operation/fields/derive.ts';
import { snapshotState } from '#shared/domain/operation/fields/snapshot.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import { forScope } from '../../scopes.ts';
import { shopOrigin } from '../../origin.ts';
import { parseBody } from '../../limits/bodies.ts';
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
export function registerState(app: Hono<MerchantEnv>, dependencies: MerchantDependencies): void {
  const { current, entryPoster, personal } = dependencies;
  const evidence = createEvidenceReader(dependencies);
  app.post(
    '/v1/get_operation_state',
    forScope('read', async (c) => {
      const reference = validate(operationReferenceSchema, parseBody(c), operationReferenceRules);
      const shop = c.get('shop');
      const operation = await current.operation(referredId(shop, reference)).catch(notReadable);
      // An operation of another shop, and one that is still being created, are answered as unknown
      // ones.
      if (operation?.shopId !== shop.shopId || operation.status === 'creating')
        throw new Problem('operation_not_found');
      const opened = await decryptOrNotReady(personal, operation);
      const [receipts, admittedAt, returned] = await Promise.all([
        evidence.of(operation, shopOrigin(c)),
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
        ...operationObject('state', {
          ...snapshotState(operation, opened),
          created_at: admittedAt.toISOString(),
          returned_amount: returned,
        }),
        ...(opened?.erased ? withoutFiles(receipts) : receipts),
      });
    }),
  );
}

function notReadable(cause: unknown): never {
  throw new Problem('not_ready', { detail: 'the operation could not be read', cause });
}
