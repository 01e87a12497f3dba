import type { Run } from '#shared/domain/payout-batch/decide.ts';
import type { RowResult } from '#shared/domain/payout-batch/events.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { openRow, originOfRun, type Row } from '#shared/application/payout-batches/batches.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { createOperation, operationIdOf } from '../endpoints/create/create-operation.ts';
import { rejectionOf } from '../endpoints/create/rejections.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Creates the payout of a row under its own key, as POST /v1/payout does: created before, by the
 * batch or by a request, it is not created again.
 * @throws when the outcome is not known; the row is then created again
 */
export async function createRow(
  dependencies: Dependencies,
  { shop, run, row }: { shop: Shop; run: Run; row: Row },
): Promise<RowResult> {
  const { merchant_operation_id } = row.stored;
  const operationId = operationIdOf(shop, row.stored);
  const result = (code: string | undefined): RowResult => ({
    merchant_operation_id,
    operation_id: operationId,
    ...(code !== undefined && { code }),
  });
  const body = await openRow(dependencies.personal, run.batchId, row);
  if (!body) {
    const before = await readOperation(dependencies.store, operationId);
    return result(before ? whyNot(before) : 'personal_data_erased');
  }
  const { shopId } = shop;
  const slot = await dependencies.gate.enter({ shopId, operationId, wasLetIn: true });
  try {
    const origin = originOfRun(run);
    const request = {
      shop,
      type: 'payout',
      body,
      operationId,
      endpoint: '/v1/payout',
      origin,
      slot,
    } as const;
    const created = await createOperation(dependencies, request);
    if (created.outcome === 'undecided') throw new Error('the outcome of a row is not known yet');
    if (created.outcome === 'body_mismatch') return result('idempotency_body_mismatch');
    return result(whyNot(created.operation));
  } finally {
    slot.release();
  }
}

const whyNot = (operation: Operation): string | undefined => rejectionOf(operation)?.code;
