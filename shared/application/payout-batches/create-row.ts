import type { BatchRun } from '#shared/domain/payout-batch/decide.ts';
import type { RowResult } from '#shared/domain/payout-batch/events.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { handleOperation } from '#shared/application/operations/handle-operation.ts';
import { openRow, originOfRun, type BatchRow } from '#shared/application/payout-batches/batches.ts';
import { claimKey } from '#shared/domain/operation/decisions.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import {
  createOperation,
  toOperationId,
} from '#shared/application/operations/create/create-operation.ts';
import { findRejection } from '#shared/application/operations/create/rejections.ts';
import type { CreatePorts, CreateSlot } from '#shared/application/operations/create/ports.ts';

/** A provider may have the payout: it is created again, until that is known. */
class OutcomeUnknown extends Error {}

export type RowPorts = Omit<CreatePorts, 'personal'> & {
  personal: CreatePorts['personal'] & Parameters<typeof openRow>[0];
  /** Limits creates when the process is overloaded. */
  gate: {
    /** `wasLetIn`: it is part of something that was accepted before, and is never refused. */
    enter(create: { shopId: string; operationId: string; wasLetIn: true }): Promise<CreateSlot>;
  };
};

export type RowToCreate = { shop: Shop; run: BatchRun; row: BatchRow };

/**
 * Creates the payout of a row under its own key, as POST /v1/payout does: created before, by the
 * batch or by a request, it is not created again.
 * @throws when the outcome is not known; the row is then created again
 */
export async function createRow(
  dependencies: RowPorts,
  { shop, run, row }: RowToCreate,
): Promise<RowResult> {
  const operationId = toOperationId(shop, row.stored);
  const result = (code: string | undefined) => resultOfRow(row, operationId, code);
  const body = await openRow(dependencies.personal, run.batchId, row);
  if (!body) return endWithoutCreate(dependencies, { shop, run, row }, 'personal_data_erased');
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
    if (created.outcome === 'undecided')
      throw new OutcomeUnknown('the outcome of a row is not known yet');
    if (created.outcome === 'body_mismatch') return result('idempotency_body_mismatch');
    return result(whyNot(created.operation));
  } finally {
    slot.release();
  }
}

/**
 * The result of a row that is not created, unless its payout exists already. Its key is claimed,
 * because another instance may have begun the row before, and order the payout after this result.
 * @throws when the outcome is not known
 */
export async function endWithoutCreate(
  { store }: Pick<CreatePorts, 'store'>,
  { shop, run, row }: RowToCreate,
  code: 'personal_data_erased' | 'internal_error',
): Promise<RowResult> {
  const { merchant_operation_id: merchantOperationId } = row.stored;
  const operationId = toOperationId(shop, row.stored);
  const { shopId, merchantId } = shop;
  const reason = 'a row of a file of payouts failed';
  const command = { operationId, shopId, merchantId, merchantOperationId, reason };
  const claimed = await handleOperation({ store, operationId, origin: originOfRun(run) }, (state) =>
    claimKey(state, command),
  );
  if (claimed.outcome !== 'done') throw new OutcomeUnknown('it is not known whether a row failed');
  const { state } = claimed;
  const isOrdered = state.phase === 'admitted' && state.type === 'payout';
  return resultOfRow(row, operationId, isOrdered ? whyNot(state) : code);
}

const resultOfRow = (row: BatchRow, operationId: string, code: string | undefined): RowResult => ({
  merchant_operation_id: row.stored.merchant_operation_id,
  operation_id: operationId,
  ...(code !== undefined && { code }),
});

const whyNot = (operation: Operation): string | undefined => findRejection(operation)?.code;
