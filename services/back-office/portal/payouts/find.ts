import { readPathId } from '#shared/application/directory/command-shop.ts';
import { readBatch } from '#shared/application/payout-batches/batches.ts';
import { isChecked, type CheckedBatch } from '#shared/domain/payout-batch/decide.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { Portal } from '../env.ts';

/** @throws Problem not_found also for another shop's */
export async function findBatch(
  { store }: Pick<Portal, 'store'>,
  shopId: string,
  id: string | undefined,
): Promise<CheckedBatch> {
  const batch = await fromStore(readBatch(store, { batchId: readPathId(id), shopId }));
  if (!isChecked(batch)) throw new Problem('not_found');
  return batch;
}
